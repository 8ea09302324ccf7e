//! What each member of a group has used of a lane's threads, and whose turn it is: start-time fair queueing (Goyal, Vin
//! and Cheng, 1996).
//!
//! The next job is one of the member whose jobs have used the least time so far, so members with waiting jobs get equal
//! shares of the threads, whatever their jobs cost. A member that was idle starts where the others are: it can neither
//! save up time nor be late for ever.

use std::{
    collections::{BTreeSet, HashMap},
    hash::Hash,
    time::Duration,
};

pub(super) struct Shares<M> {
    /// Members with jobs that wait or run, and those that recently used more than their share.
    members: HashMap<M, Share>,
    /// The members with waiting jobs, by the time that they have used: the next one first.
    turns: BTreeSet<(Duration, M)>,
    /// The used time at which the member of the last started job stood. A member that comes starts here.
    virtual_time: Duration,
}

/// The jobs of one member.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share {
    pub(super) waiting: usize,
    running: usize,
    /// The time that the jobs have used; running ones count as expected.
    used: Duration,
    waiting_work: Duration,
    /// Without the work of abandoned jobs.
    running_work: Duration,
}

impl Share {
    /// The expected time of the unfinished jobs; the running ones are half done on average.
    pub(super) fn work(&self) -> Duration {
        self.waiting_work.saturating_add(self.running_work / 2)
    }

    fn is_idle(&self) -> bool {
        self.waiting == 0 && self.running == 0
    }
}

impl<M: Copy + Hash + Ord> Shares<M> {
    pub(super) fn new() -> Shares<M> {
        Shares {
            members: HashMap::new(),
            turns: BTreeSet::new(),
            virtual_time: Duration::ZERO,
        }
    }

    /// The jobs of a member; none if it is unknown.
    pub(super) fn of(&self, member: M) -> Share {
        self.members.get(&member).copied().unwrap_or_default()
    }

    /// The jobs of all others.
    pub(super) fn others(&self, member: M) -> impl Iterator<Item = (M, &Share)> {
        let all = self.members.iter().map(|(other, share)| (*other, share));
        all.filter(move |(other, _)| *other != member)
    }

    /// The unfinished work of all members.
    pub(super) fn work(&self) -> Duration {
        self.members.values().map(Share::work).sum()
    }

    /// The work of others that comes before the last of some jobs of this member, if each job of it takes `pace`, and
    /// all but the last one take `own`.
    pub(super) fn before(&self, member: M, own: Duration, pace: Duration) -> Duration {
        // Another member is served before the last job only until it has used as much time as this one.
        let used = self.members.get(&member).map_or(self.virtual_time, |share| share.used);
        let used = used.saturating_add(own);
        let others = self.others(member).map(|(_, other)| {
            let waiting = other.waiting_work.min(used.saturating_sub(other.used));
            waiting.saturating_add(other.running_work / 2).min(own.max(pace))
        });
        others.sum()
    }

    /// The number of members with waiting jobs.
    pub(super) fn contenders(&self) -> usize {
        self.turns.len()
    }

    /// The member whose turn it is. While several wait, one of the threads is left to the others.
    pub(super) fn next(&self, threads: usize) -> Option<M> {
        let max_running = if self.contenders() > 1 {
            (threads - 1).max(1)
        } else {
            threads
        };
        let may_run = |(_, member): &&(Duration, M)| self.of(*member).running < max_running;
        let turn = self.turns.iter().find(may_run).or(self.turns.first());
        turn.map(|(_, member)| *member)
    }

    /// Adds waiting jobs.
    pub(super) fn add(&mut self, member: M, count: usize, expected: Duration) {
        let virtual_time = self.virtual_time;
        let work = expected.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
        self.change(member, |share| {
            if share.is_idle() {
                share.used = share.used.max(virtual_time);
            }
            share.waiting += count;
            share.waiting_work = share.waiting_work.saturating_add(work);
        });
    }

    /// Takes back jobs that wait.
    pub(super) fn remove(&mut self, member: M, count: usize, work: Duration) {
        self.change(member, |share| {
            share.waiting = share.waiting.saturating_sub(count);
            share.waiting_work = share.waiting_work.saturating_sub(work);
        });
    }

    /// Starts a waiting job.
    pub(super) fn start(&mut self, member: M, expected: Duration) {
        self.virtual_time = self.virtual_time.max(self.of(member).used);
        self.change(member, |share| {
            share.waiting = share.waiting.saturating_sub(1);
            share.waiting_work = share.waiting_work.saturating_sub(expected);
            share.running += 1;
            share.running_work += expected;
            share.used += expected;
        });
    }

    /// The client of a running job has left. The job is about to end, so its work no longer counts.
    pub(super) fn abandon(&mut self, member: M, expected: Duration) {
        self.change(member, |share| {
            share.running_work = share.running_work.saturating_sub(expected);
        });
    }

    /// Ends a running job, which took this long. An abandoned one has no work.
    pub(super) fn finish(&mut self, member: M, expected: Duration, work: Duration, took: Duration) {
        self.change(member, |share| {
            share.running = share.running.saturating_sub(1);
            share.running_work = share.running_work.saturating_sub(work);
            share.used = share.used.saturating_add(took).saturating_sub(expected);
        });
    }

    pub(super) fn clear(&mut self) {
        *self = Shares::new();
    }

    /// Changes a share and the turn of its member. An idle member is forgotten, unless it has used more than the
    /// others, because a forgotten one starts without what it has used.
    fn change(&mut self, member: M, change: impl FnOnce(&mut Share)) {
        let share = self.members.entry(member).or_default();
        self.turns.remove(&(share.used, member));
        change(share);
        if share.waiting > 0 {
            self.turns.insert((share.used, member));
        } else if share.is_idle() && share.used <= self.virtual_time {
            self.members.remove(&member);
        }
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}
