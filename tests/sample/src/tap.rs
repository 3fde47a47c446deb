//! A TCP relay that counts: what does the server really receive?

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, tcp},
};

/// How long a byte that is still on its way may take to be counted. Bytes of one request travel over loopback;
/// this is a thousand times what they need.
const SETTLE: Duration = Duration::from_millis(100);

/// A relay to one server. It lives as long as the runtime that it was started in.
#[derive(Debug)]
pub struct Tap {
    address: SocketAddr,
    received: Arc<AtomicU64>,
}

impl Tap {
    /// Starts a relay to `server` on a free loopback port.
    ///
    /// # Errors
    /// When there is no port to listen on.
    pub async fn start(server: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let received = Arc::new(AtomicU64::new(0));
        tokio::spawn({
            let received = Arc::clone(&received);
            async move {
                while let Ok((client, _)) = listener.accept().await {
                    tokio::spawn(relay(client, server, Arc::clone(&received)));
                }
            }
        });
        Ok(Self { address, received })
    }

    /// Where to connect instead of to the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Bytes sent towards the server so far, over all connections.
    pub async fn received(&self) -> u64 {
        tokio::time::sleep(SETTLE).await;
        self.received.load(Ordering::SeqCst)
    }
}

async fn relay(client: TcpStream, server: SocketAddr, received: Arc<AtomicU64>) {
    let Ok(server) = TcpStream::connect(server).await else {
        return;
    };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::spawn(pass(from_server, to_client, Arc::default()));
    pass(from_client, to_server, received).await;
}

/// Passes bytes on until either side is done, counting them before they are sent.
async fn pass(mut from: tcp::OwnedReadHalf, mut to: tcp::OwnedWriteHalf, count: Arc<AtomicU64>) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(length) = from.read(&mut buffer).await {
        let Some(bytes) = buffer.get(..length).filter(|bytes| !bytes.is_empty()) else {
            break;
        };
        count.fetch_add(bytes.len() as u64, Ordering::SeqCst);
        if to.write_all(bytes).await.is_err() {
            break;
        }
    }
    // The other half closes by being dropped; so does a half-closed connection's.
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn counts_what_goes_to_the_server_and_nothing_else() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let tap = Tap::start(server.local_addr().unwrap()).await.unwrap();
        assert_eq!(tap.received().await, 0);

        let mut client = TcpStream::connect(tap.address()).await.unwrap();
        let (mut accepted, _) = server.accept().await.unwrap();
        assert_eq!(tap.received().await, 0, "a connection is no byte");

        client.write_all(b"hello").await.unwrap();
        let mut buffer = [0; 5];
        accepted.read_exact(&mut buffer).await.unwrap();
        assert_eq!(&buffer, b"hello");
        accepted.write_all(b"good day").await.unwrap();
        let mut buffer = [0; 8];
        client.read_exact(&mut buffer).await.unwrap();
        assert_eq!(&buffer, b"good day");
        assert_eq!(tap.received().await, 5);

        drop(client);
        assert_eq!(
            accepted.read(&mut buffer).await.unwrap(),
            0,
            "the end is passed on"
        );
    }
}
