// Preloaded into a server that takes no address: it listens on a free port of
// loopback only, and says which.
import { Server } from 'node:net';

const listen = Server.prototype.listen;
Server.prototype.listen = function (_port, ...rest) {
    const ready = rest.find(argument => typeof argument === 'function');
    return listen.call(this, 0, '127.0.0.1', () => {
        process.stdout.write(`http://127.0.0.1:${this.address().port}/mcp\n`);
        ready?.();
    });
};
