//! A small thread pool for the loops inside a step.
//!
//! Work is split into chunks whose bounds depend only on the problem, never on the number of
//! threads, and sums are added chunk by chunk in order. So a step yields the same bits on one
//! thread as on sixty-four. Workers spin briefly between loops, then park. If a worker has not
//! started its share when the caller has finished its own, the caller takes it over, so on a busy
//! machine no loop waits for a worker that has no processor.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, TryLockError};
use std::thread::JoinHandle;

/// Chunk sizes are multiples of this.
const EVEN: usize = 16;

/// The maximum number of chunks of a loop, and the minimum amount of work per chunk.
const CHUNKS: usize = 256;
const SMALLEST: usize = 192;

/// A fixed number of threads that run loops together.
pub struct ThreadPool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    busy: Mutex<()>,
}

type Job = dyn Fn(usize) + Sync + 'static;

struct Shared {
    job: UnsafeCell<Option<*const Job>>,
    /// The round and state of each worker's share.
    shares: Vec<Share>,
    /// How often the caller polls for a worker to take its share.
    patience: AtomicU32,
    failed: AtomicBool,
    stop: AtomicBool,
}

/// `4 · round + state`, on a cache line of its own.
#[repr(align(64))]
struct Share(AtomicU64);

/// Offered to the worker, taken by it, taken by the caller instead, done by the worker.
const OPEN: u64 = 0;
const BUSY: u64 = 1;
const CLOSED: u64 = 2;
const DONE: u64 = 3;

// SAFETY: `job` is written only by the caller of `ThreadPool::run` while no share is open or busy,
// and read only by workers that have taken an open share.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl ThreadPool {
    /// A pool of `threads` threads (at least one: the caller's own).
    pub fn new(threads: usize) -> Self {
        let threads = threads.max(1);
        let shared = Arc::new(Shared {
            job: UnsafeCell::new(None),
            shares: (1..threads).map(|_| Share(AtomicU64::new(DONE))).collect(),
            patience: AtomicU32::new(PATIENT),
            failed: AtomicBool::new(false),
            stop: AtomicBool::new(false),
        });
        let workers = (1..threads)
            .map_while(|index| {
                let shared = Arc::clone(&shared);
                std::thread::Builder::new()
                    .name(format!("hooke-{index}"))
                    .spawn(move || work(&shared, index))
                    .ok()
            })
            .collect();
        Self { shared, workers, busy: Mutex::new(()) }
    }

    /// The number of threads, the caller's included.
    pub fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Calls `body(first, chunk)` for every chunk of `values`; `first` is the chunk's index.
    pub fn for_each<T: Send>(&self, values: &mut [T], body: impl Fn(usize, &mut [T]) + Sync) {
        let count = values.len();
        let base = Shareable(values.as_mut_ptr());
        self.chunks(count, |range| {
            // SAFETY: chunks are disjoint ranges within `values`, which is borrowed mutably for
            // the whole call.
            let chunk = unsafe {
                std::slice::from_raw_parts_mut(base.pointer().add(range.start), range.len())
            };
            body(range.start, chunk);
        });
    }

    /// As [`ThreadPool::for_each`], over two slices of equal length.
    pub fn for_both<T: Send, U: Send>(
        &self,
        left: &mut [T],
        right: &mut [U],
        body: impl Fn(usize, &mut [T], &mut [U]) + Sync,
    ) {
        let count = left.len().min(right.len());
        let (left, right) = (Shareable(left.as_mut_ptr()), Shareable(right.as_mut_ptr()));
        self.chunks(count, |range| {
            // SAFETY: chunks are disjoint ranges within both slices, which are borrowed mutably
            // for the whole call.
            let (left, right) = unsafe {
                (
                    std::slice::from_raw_parts_mut(left.pointer().add(range.start), range.len()),
                    std::slice::from_raw_parts_mut(right.pointer().add(range.start), range.len()),
                )
            };
            body(range.start, left, right);
        });
    }

    /// As [`ThreadPool::for_each`]; returns the sums of the results of `body`, added in order.
    pub fn sum_each<T: Send, const K: usize>(
        &self,
        values: &mut [T],
        body: impl Fn(usize, &mut [T]) -> [f64; K] + Sync,
    ) -> [f64; K] {
        let base = Shareable(values.as_mut_ptr());
        self.sums(values.len(), |range| {
            // SAFETY: chunks are disjoint ranges within `values`, which is borrowed mutably for
            // the whole call.
            let chunk = unsafe {
                std::slice::from_raw_parts_mut(base.pointer().add(range.start), range.len())
            };
            body(range.start, chunk)
        })
    }

    /// As [`ThreadPool::sum`], for several sums.
    pub fn sums<const K: usize>(
        &self,
        count: usize,
        terms: impl Fn(Range<usize>) -> [f64; K] + Sync,
    ) -> [f64; K] {
        #[derive(Clone, Copy)]
        struct Sums<const K: usize>([f64; K]);
        impl<const K: usize> Default for Sums<K> {
            fn default() -> Self {
                Self([0.0; K])
            }
        }
        let add = |mut a: Sums<K>, b: Sums<K>| {
            a.0.iter_mut().zip(b.0).for_each(|(a, b)| *a += b);
            a
        };
        self.fold(count, |range| Sums(terms(range)), add).0
    }

    /// The sum of `term(range)` over all chunks of `0..count`, added in order.
    pub fn sum(&self, count: usize, term: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
        self.fold(count, term, |sum, term| sum + term)
    }

    /// Folds `add` over `term(range)` of all chunks of `0..count`, in order, starting from the
    /// default.
    pub fn fold<T: Copy + Default + Send>(
        &self,
        count: usize,
        term: impl Fn(Range<usize>) -> T + Sync,
        add: impl Fn(T, T) -> T,
    ) -> T {
        let mut partial = [const { MaybeUninit::<T>::uninit() }; CHUNKS];
        let size = chunk_size(count);
        let base = Shareable(partial.as_mut_ptr());
        self.chunks(count, |range| {
            let chunk = range.start / size;
            let value = term(range);
            // SAFETY: each chunk writes its own entry; `chunk_size` keeps their number ≤ CHUNKS.
            unsafe { (*base.pointer().add(chunk)).write(value) };
        });
        partial[..count.div_ceil(size)].iter().fold(T::default(), |sum, term| {
            // SAFETY: `chunks` has called every chunk, which has written its entry.
            add(sum, unsafe { term.assume_init() })
        })
    }

    /// Runs `body` over the chunks of `0..count`, distributed over the threads.
    pub fn chunks(&self, count: usize, body: impl Fn(Range<usize>) + Sync) {
        let size = chunk_size(count);
        let chunks = count.div_ceil(size);
        let chunk = |k: usize| body(k * size..((k + 1) * size).min(count));
        let threads = self.threads();
        if chunks <= 1 || threads == 1 {
            (0..chunks).for_each(chunk);
            return;
        }
        self.run(&|index| {
            (index * chunks / threads..(index + 1) * chunks / threads).for_each(chunk);
        });
    }

    /// Calls `body` with every number below `count`, distributed over the threads.
    pub fn tasks(&self, count: usize, body: impl Fn(usize) + Sync) {
        let threads = self.threads();
        if count <= 1 || threads == 1 {
            (0..count).for_each(body);
            return;
        }
        self.run(&|index| {
            (index * count / threads..(index + 1) * count / threads).for_each(&body);
        });
    }

    fn run(&self, job: &(dyn Fn(usize) + Sync)) {
        // Nested loops and concurrent callers run on their own thread.
        let _guard = match self.busy.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                (0..self.threads()).for_each(job);
                return;
            }
        };
        let shared = &*self.shared;
        // SAFETY: no worker reads `job` before a share is open, and this function does not return
        // before every share is closed or done, so the borrow outlives its use.
        unsafe {
            *shared.job.get() =
                Some(std::mem::transmute::<*const (dyn Fn(usize) + Sync), *const Job>(job));
        }
        let shares = &shared.shares[..self.workers.len()];
        let round = shares.first().map_or(0, |share| share.0.load(Ordering::Relaxed) / 4 + 1);
        for (share, worker) in shares.iter().zip(&self.workers) {
            share.0.store(4 * round + OPEN, Ordering::Release);
            worker.thread().unpark();
        }
        let mut own = Ok(());
        let mut run = |index: usize| {
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(index)));
            if done.is_err() {
                own = done;
            }
        };
        run(0);
        for (index, share) in (1..).zip(shares) {
            let (open, closed) = (4 * round + OPEN, 4 * round + CLOSED);
            for _ in 0..shared.patience.load(Ordering::Relaxed) {
                if share.0.load(Ordering::Relaxed) != open {
                    break;
                }
                std::hint::spin_loop();
            }
            let absent = share
                .0
                .compare_exchange(open, closed, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
            shared.patience.store(if absent { IMPATIENT } else { PATIENT }, Ordering::Relaxed);
            if absent {
                run(index);
            }
        }
        for share in shares {
            let mut spins = 0u32;
            while share.0.load(Ordering::Acquire) == 4 * round + BUSY {
                spins += 1;
                if spins < SPINS { std::hint::spin_loop() } else { std::thread::yield_now() }
            }
        }
        let failed = shared.failed.swap(false, Ordering::Relaxed);
        if let Err(panic) = own {
            std::panic::resume_unwind(panic);
        }
        assert!(!failed, "a worker thread failed");
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        for worker in self.workers.drain(..) {
            worker.thread().unpark();
            // A worker that panicked has already been reported by `run`.
            let _ = worker.join();
        }
    }
}

impl std::fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ThreadPool({})", self.threads())
    }
}

/// The chunk size for a loop of `count`: it depends only on the problem.
fn chunk_size(count: usize) -> usize {
    SMALLEST.max(count.div_ceil(CHUNKS)).next_multiple_of(EVEN)
}

fn work(shared: &Shared, index: usize) {
    let share = &shared.shares[index - 1].0;
    let mut spins = 0u32;
    while !shared.stop.load(Ordering::Acquire) {
        let now = share.load(Ordering::Relaxed);
        let busy = now - OPEN + BUSY;
        if now % 4 != OPEN
            || share.compare_exchange(now, busy, Ordering::Acquire, Ordering::Relaxed).is_err()
        {
            spins += 1;
            if spins < AWAKE {
                std::hint::spin_loop();
            } else {
                std::thread::park();
                spins = 0;
            }
            continue;
        }
        spins = 0;
        // SAFETY: the share was open, so `run` has written the job and waits for us.
        if let Some(job) = unsafe { *shared.job.get() } {
            // SAFETY: `run` keeps the closure alive until this share is done.
            let body = unsafe { &*job };
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(index))).is_err() {
                shared.failed.store(true, Ordering::Relaxed);
            }
        }
        share.store(busy - BUSY + DONE, Ordering::Release);
    }
}

/// A number of polls; fewer under Miri, where a poll takes a thousand times as long.
const fn polls(count: u32) -> u32 {
    if cfg!(miri) { count / 64 } else { count }
}

/// How often the caller polls before it takes over a share: about the time to wake a worker, and a
/// few microseconds after a failed attempt.
const PATIENT: u32 = polls(4096);
const IMPATIENT: u32 = polls(64);

/// How often a worker polls for a share before it parks: about a millisecond. If it parks sooner,
/// the system does not see it as waiting and leaves it on the caller's processor.
const AWAKE: u32 = polls(20480);

/// How often a thread polls before it yields its processor.
const SPINS: u32 = polls(4096);

/// A slice whose elements are written by several threads, each element by one thread at a time.
pub(crate) struct Disjoint<'a, T> {
    base: Shareable<T>,
    length: usize,
    slice: PhantomData<&'a mut [T]>,
}

impl<'a, T> Disjoint<'a, T> {
    /// A wrapper of these elements.
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        Self { base: Shareable(slice.as_mut_ptr()), length: slice.len(), slice: PhantomData }
    }

    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// A pointer to the first element.
    pub(crate) fn pointer(&self) -> *mut T {
        self.base.pointer()
    }

    /// Element `i`.
    ///
    /// # Safety
    /// No two threads may hold the same element at the same time.
    #[allow(clippy::mut_from_ref)]
    #[inline]
    pub(crate) unsafe fn get(&self, i: usize) -> &mut T {
        assert!(i < self.length);
        // SAFETY: within the slice, and no other thread accesses it, as the caller promises.
        unsafe { &mut *self.base.pointer().add(i) }
    }

    /// The elements of a range.
    ///
    /// # Safety
    /// As for [`Disjoint::get`].
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn slice(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.length);
        let from = self.base.pointer();
        // SAFETY: within the slice, and no other thread accesses it, as the caller promises.
        unsafe { std::slice::from_raw_parts_mut(from.add(range.start), range.len()) }
    }
}

impl<T: Copy> Disjoint<'_, T> {
    /// The value of element `i`.
    ///
    /// # Safety
    /// No other thread may write this element at the same time.
    #[inline]
    pub(crate) unsafe fn read(&self, i: usize) -> T {
        assert!(i < self.length);
        // SAFETY: within the slice, and no other thread writes it, as the caller promises.
        unsafe { *self.base.pointer().add(i) }
    }
}

/// A pointer that several threads may use on disjoint ranges.
struct Shareable<T>(*mut T);

impl<T> Shareable<T> {
    fn pointer(&self) -> *mut T {
        self.0
    }
}

// SAFETY: every use writes disjoint elements, as argued where it is used.
unsafe impl<T: Send> Sync for Shareable<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longer than one chunk, and not a multiple of one.
    const COUNT: usize = 5 * SMALLEST + 7;

    #[test]
    fn every_element_is_met_once_and_sums_have_the_same_bits() {
        let term = |i: usize| 1.0 / (i as f64 + 0.3);
        let mut sums = Vec::new();
        for threads in [1, 2, 3, 8] {
            let pool = ThreadPool::new(threads);
            let (mut met, mut first) = (vec![0u8; COUNT], vec![0usize; COUNT]);
            for _ in 0..if cfg!(miri) { 3 } else { 200 } {
                met.fill(0);
                pool.for_both(&mut met, &mut first, |start, met, first| {
                    met.iter_mut().for_each(|met| *met += 1);
                    first.fill(start);
                });
                assert!(met.iter().all(|&met| met == 1), "{threads}");
                let [sum, squares] = pool.sum_each(&mut first, |start, part| {
                    let terms = (start..start + part.len()).map(term);
                    [terms.clone().sum(), terms.map(|term| term * term).sum()]
                });
                sums.push([sum.to_bits(), squares.to_bits()]);
            }
        }
        assert!(sums.iter().all(|bits| *bits == sums[0]));
    }

    #[test]
    fn a_loop_within_a_loop_and_two_callers_at_once_do_all_their_work() {
        let pool = ThreadPool::new(3);
        let met = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    pool.tasks(6, |_| {
                        pool.tasks(5, |_| {
                            met.fetch_add(1, Ordering::Relaxed);
                        });
                    });
                });
            }
        });
        assert_eq!(met.load(Ordering::Relaxed), 60);
    }

    #[test]
    fn a_panic_is_told_and_the_team_goes_on() {
        let pool = ThreadPool::new(3);
        for bad in 0..3 {
            let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                pool.tasks(3, |task| assert!(task != bad, "on purpose"));
            }));
            assert!(failed.is_err(), "{bad}");
            assert_eq!(pool.sum(COUNT, |range| range.len() as f64), COUNT as f64);
        }
    }
}
