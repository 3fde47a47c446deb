//! The host functions that the module imports.

use wasmi::{Caller, Error, Extern, Memory, Val};

use super::{Host, Queue};

/// Statuses of the ABI.
const OK: i32 = 0;
const NOT_FOUND: i32 = 1;
const BAD_ARGUMENT: i32 = 2;
const EMPTY: i32 = 7;
const MISMATCH: i32 = 8;
const UNIMPLEMENTED: i32 = 12;

/// One host call: noted, made to fail if it is its turn, else done.
pub(super) fn dispatch(
    name: &str,
    mut caller: Caller<'_, Host>,
    given: &[Val],
    back: &mut [Val],
) -> Result<(), Error> {
    let given: Vec<i32> = given.iter().map(|value| value.i32().unwrap_or(0)).collect();
    let host = caller.data_mut();
    let turn = host.calls.len();
    // What the standard library asks of WASI is not the filter's doing.
    let counts = name.starts_with("proxy_");
    if counts {
        host.calls.push(name.to_owned());
    }
    let status = match host.fails {
        Some((at, status)) if counts && at == turn => status,
        _ => Call { caller, given }.done(name)?,
    };
    if let Some(first) = back.first_mut() {
        *first = Val::I32(status);
    }
    Ok(())
}

struct Call<'a> {
    caller: Caller<'a, Host>,
    given: Vec<i32>,
}

impl Call<'_> {
    fn done(&mut self, name: &str) -> Result<i32, Error> {
        match name {
            "proxy_log" => {
                let line = String::from_utf8_lossy(&self.bytes(1)?).into_owned();
                self.caller.data_mut().log.push(line);
                Ok(OK)
            }
            "proxy_get_buffer_bytes" => {
                // 0 is the request's body, 7 the plugin's configuration.
                let host = self.caller.data();
                let whole = match self.argument(0) {
                    0 => host.body.clone(),
                    7 => host.configuration.clone(),
                    _ => return Ok(NOT_FOUND),
                };
                let start = index(self.argument(1)).min(whole.len());
                let end = start
                    .saturating_add(index(self.argument(2)))
                    .min(whole.len());
                let part = whole.get(start..end).unwrap_or_default().to_vec();
                self.give(&part, 3)
            }
            "proxy_set_buffer_bytes" => {
                let (start, size) = (index(self.argument(1)), index(self.argument(2)));
                let new = self.bytes(3)?;
                let body = &mut self.caller.data_mut().body;
                let end = start.saturating_add(size).min(body.len());
                if self.given.first() != Some(&0) || start > end {
                    return Ok(BAD_ARGUMENT);
                }
                body.splice(start..end, new);
                Ok(OK)
            }
            "proxy_get_header_map_pairs" => {
                let pairs = serialised(&self.caller.data().headers);
                self.give(&pairs, 1)
            }
            "proxy_replace_header_map_value" => {
                let (name, value) = (self.bytes(1)?, self.bytes(3)?);
                let headers = &mut self.caller.data_mut().headers;
                headers.retain(|(line, _)| *line != name);
                headers.push((name, value));
                Ok(OK)
            }
            "proxy_remove_header_map_value" => {
                let name = self.bytes(1)?;
                let headers = &mut self.caller.data_mut().headers;
                headers.retain(|(line, _)| *line != name);
                Ok(OK)
            }
            "proxy_get_property" => {
                let path = self.bytes(0)?;
                match self.caller.data().properties.get(&path).cloned() {
                    Some(value) => self.give(&value, 2),
                    None => Ok(NOT_FOUND),
                }
            }
            "proxy_set_property" => {
                let (path, value) = (self.bytes(0)?, self.bytes(2)?);
                self.caller.data_mut().properties.insert(path, value);
                Ok(OK)
            }
            "proxy_send_local_response" => {
                let status = u32::try_from(self.argument(0)).unwrap_or_default();
                let body = self.bytes(3)?;
                self.caller.data_mut().answer = Some((status, body));
                Ok(OK)
            }
            "proxy_define_metric" => {
                self.write(self.argument(3), &1_i32.to_le_bytes())?;
                Ok(OK)
            }
            "proxy_increment_metric"
            | "proxy_set_log_level"
            | "proxy_set_tick_period_milliseconds" => Ok(OK),
            "proxy_set_effective_context" => {
                self.caller.data_mut().effective = self.argument(0);
                Ok(OK)
            }
            "proxy_continue_stream" => {
                let host = self.caller.data_mut();
                host.resumed.push(host.effective);
                Ok(OK)
            }
            "proxy_get_shared_data" => {
                let key = self.bytes(0)?;
                let Some((value, change)) = self.caller.data().shared.data.get(&key).cloned()
                else {
                    return Ok(NOT_FOUND);
                };
                self.write(self.argument(4), &change.to_le_bytes())?;
                self.give(&value, 2)
            }
            "proxy_set_shared_data" => {
                let (key, value, known) = (self.bytes(0)?, self.bytes(2)?, self.argument(4));
                let data = &mut self.caller.data_mut().shared.data;
                let last = data.get(&key).map_or(0, |(_, change)| *change);
                if known != 0 && known != last {
                    return Ok(MISMATCH);
                }
                data.insert(key, (value, last + 1));
                Ok(OK)
            }
            "proxy_register_shared_queue" => {
                let name = self.bytes(0)?;
                let host = self.caller.data_mut();
                let (context, queues) = (host.effective, &mut host.shared.queues);
                let known = queues.iter().position(|queue| queue.name == name);
                let at = known.unwrap_or_else(|| {
                    queues.push(Queue::default());
                    queues.len() - 1
                });
                queues[at].name = name;
                queues[at].context = context;
                self.write(self.argument(2), &(at as u32 + 1).to_le_bytes())?;
                Ok(OK)
            }
            "proxy_dequeue_shared_queue" => {
                let Some(queue) = self.queue() else {
                    return Ok(NOT_FOUND);
                };
                match queue.held.pop_front() {
                    Some(bytes) => self.give(&bytes, 1),
                    None => Ok(EMPTY),
                }
            }
            "proxy_enqueue_shared_queue" => {
                let bytes = self.bytes(1)?;
                match self.queue() {
                    Some(queue) => queue.held.push_back(bytes),
                    None => return Ok(NOT_FOUND),
                }
                Ok(OK)
            }
            // Seeds of hash maps: any bytes will do.
            "random_get" => {
                let size = index(self.argument(1));
                self.write(self.argument(0), &vec![7; size])?;
                Ok(OK)
            }
            "proc_exit" => Err(Error::new("the module ended its process")),
            // Nothing in the environment, nothing to write to.
            "environ_sizes_get" => {
                self.write(self.argument(0), &[0; 4])?;
                self.write(self.argument(1), &[0; 4])?;
                Ok(OK)
            }
            "environ_get" => Ok(OK),
            _ => Ok(UNIMPLEMENTED),
        }
    }

    /// The queue that the first argument names.
    fn queue(&mut self) -> Option<&mut Queue> {
        let at = index(self.argument(0)).checked_sub(1)?;
        self.caller.data_mut().shared.queues.get_mut(at)
    }

    fn argument(&self, at: usize) -> i32 {
        self.given.get(at).copied().unwrap_or_default()
    }

    fn memory(&self) -> Result<Memory, Error> {
        let memory = self
            .caller
            .get_export("memory")
            .and_then(Extern::into_memory);
        memory.ok_or_else(|| Error::new("the module exports no memory"))
    }

    /// The bytes whose place and length are the arguments from `at` on.
    fn bytes(&self, at: usize) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; index(self.argument(at + 1))];
        let from = index(self.argument(at));
        self.memory()?
            .read(&self.caller, from, &mut bytes)
            .map_err(|error| Error::new(error.to_string()))?;
        Ok(bytes)
    }

    fn write(&mut self, place: i32, bytes: &[u8]) -> Result<(), Error> {
        self.memory()?
            .write(&mut self.caller, index(place), bytes)
            .map_err(|error| Error::new(error.to_string()))
    }

    /// Hands bytes over in memory that the module allocates; place and length
    /// go where the arguments from `at` on point.
    fn give(&mut self, bytes: &[u8], at: usize) -> Result<i32, Error> {
        let allocate = ["proxy_on_memory_allocate", "malloc"]
            .into_iter()
            .find_map(|name| self.caller.get_export(name).and_then(Extern::into_func))
            .ok_or_else(|| Error::new("the module exports no allocator"))?;
        let size = i32::try_from(bytes.len()).unwrap_or(i32::MAX);
        let mut place = [Val::I32(0)];
        allocate.call(&mut self.caller, &[Val::I32(size)], &mut place)?;
        let place = place[0].i32().unwrap_or_default();
        self.write(place, bytes)?;
        self.write(self.argument(at), &place.to_le_bytes())?;
        self.write(self.argument(at + 1), &size.to_le_bytes())?;
        Ok(OK)
    }
}

/// Addresses and sizes are unsigned.
fn index(value: i32) -> usize {
    usize::try_from(value.cast_unsigned()).unwrap_or(usize::MAX)
}

/// A header map as the ABI has it: a count, the lengths, then names and values,
/// each ended by NUL.
fn serialised(pairs: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let number = |size: usize| u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes();
    let mut bytes = number(pairs.len()).to_vec();
    for (name, value) in pairs {
        bytes.extend(number(name.len()));
        bytes.extend(number(value.len()));
    }
    for text in pairs.iter().flat_map(|(name, value)| [name, value]) {
        bytes.extend(text);
        bytes.push(0);
    }
    bytes
}
