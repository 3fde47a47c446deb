//! The requests that a VM holds: how many, and for how long.

use std::collections::BTreeMap;

use mcp_boundary_handover::Ticket;

use crate::settings::{Awaits, Settings};

/// One request that is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Held {
    /// The host's number of its context.
    pub(crate) context: u32,
    /// What its own gate awaits: a VM may have several.
    pub(crate) awaits: Awaits,
    /// The first tick at which it has waited too long.
    until: u64,
}

/// All that a VM holds. Time is counted in ticks, one a second.
#[derive(Debug)]
pub(crate) struct Waiting {
    queue: u32,
    vm: u32,
    entered: u64,
    now: u64,
    held: BTreeMap<u64, Held>,
}

impl Waiting {
    /// Nothing yet, for the VM of this number with this queue.
    pub(crate) fn new(queue: u32, vm: u32) -> Self {
        Self {
            queue,
            vm,
            entered: 0,
            now: 0,
            held: BTreeMap::new(),
        }
    }

    /// The queue's number.
    pub(crate) fn queue(&self) -> u32 {
        self.queue
    }

    /// Holds the request of `context`; `None` if as many as may are held.
    pub(crate) fn enter(&mut self, context: u32, settings: Settings) -> Option<Ticket> {
        let most = usize::try_from(settings.max_waiting).unwrap_or(usize::MAX);
        if self.held.len() >= most {
            return None;
        }
        self.entered = self.entered.wrapping_add(1);
        // The first tick may come at once.
        let wait = u64::from(settings.wait_seconds).saturating_add(1);
        let held = Held {
            context,
            awaits: settings.awaits,
            until: self.now.saturating_add(wait),
        };
        self.held.insert(self.entered, held);
        Some(Ticket {
            queue: self.queue,
            vm: self.vm,
            request: self.entered,
            wait_seconds: settings.wait_seconds,
        })
    }

    /// The request that is meant, if it is held here.
    pub(crate) fn find(&self, ticket: Ticket) -> Option<Held> {
        let here = ticket.queue == self.queue && ticket.vm == self.vm;
        self.held.get(&ticket.request).filter(|_| here).copied()
    }

    /// It is held no longer: it went on, was refused, or its client left.
    pub(crate) fn leave(&mut self, ticket: Ticket) {
        if self.find(ticket).is_some() {
            self.held.remove(&ticket.request);
        }
    }

    /// A second has passed: takes out those that have waited too long.
    pub(crate) fn tick(&mut self) -> Vec<u32> {
        self.now = self.now.saturating_add(1);
        let now = self.now;
        let overdue = self.held.extract_if(.., |_, held| held.until <= now);
        overdue.map(|(_, held)| held.context).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(wait_seconds: u32, max_waiting: u32) -> Settings {
        Settings {
            awaits: Awaits::read(&["admit"]).expect("roles"),
            wait_seconds,
            max_waiting,
        }
    }

    fn enter(waiting: &mut Waiting, context: u32) -> Ticket {
        waiting.enter(context, settings(1, 100)).expect("room")
    }

    fn context(waiting: &Waiting, ticket: Ticket) -> Option<u32> {
        waiting.find(ticket).map(|held| held.context)
    }

    #[test]
    fn a_ticket_names_one_request() {
        let mut waiting = Waiting::new(7, 3);
        let (one, two) = (enter(&mut waiting, 11), enter(&mut waiting, 12));
        assert_eq!(context(&waiting, one), Some(11));
        assert_eq!(context(&waiting, two), Some(12));
        waiting.leave(one);
        waiting.leave(one);
        assert_eq!(context(&waiting, one), None);
        assert_eq!(context(&waiting, two), Some(12));
        // A context's number may come again, a ticket does not.
        let again = enter(&mut waiting, 11);
        assert_ne!(again, one);
        assert_eq!(context(&waiting, one), None);
    }

    #[test]
    fn tickets_of_another_vm_mean_nothing() {
        let mut before = Waiting::new(7, 3);
        let old = enter(&mut before, 11);
        for mut now in [Waiting::new(7, 4), Waiting::new(8, 3)] {
            let new = enter(&mut now, 21);
            assert_eq!(old.request, new.request);
            assert_eq!(context(&now, old), None);
            now.leave(old);
            assert_eq!(context(&now, new), Some(21));
        }
    }

    #[test]
    fn no_more_than_the_limit_are_held() {
        let mut waiting = Waiting::new(1, 1);
        let first = waiting.enter(1, settings(1, 2)).expect("room");
        assert!(waiting.enter(2, settings(1, 2)).is_some());
        assert_eq!(waiting.enter(3, settings(1, 2)), None);
        waiting.leave(first);
        assert!(waiting.enter(3, settings(1, 2)).is_some());
    }

    #[test]
    fn nobody_is_held_longer_than_said() {
        let mut waiting = Waiting::new(1, 1);
        let short = waiting.enter(1, settings(1, 9)).expect("room");
        let long = waiting.enter(2, settings(3, 9)).expect("room");
        // The second that was running when they came does not count.
        assert!(waiting.tick().is_empty());
        assert_eq!(waiting.tick(), [1]);
        assert_eq!(context(&waiting, short), None);
        let late = waiting.enter(3, settings(1, 9)).expect("room");
        assert!(waiting.tick().is_empty());
        assert_eq!(waiting.tick(), [2, 3]);
        assert_eq!(
            (context(&waiting, long), context(&waiting, late)),
            (None, None)
        );
        assert!(waiting.tick().is_empty());
    }
}
