/* The ownership protocol of ADR 41: leases, fencing, takeover, planned moves and splits.
 *
 * Two nodes, a partition (0) and the child (1) it may be split into. One process takes one step at
 * a time of any thread of any node, so crash, pause and every interleaving are included: a node
 * that takes no more steps has crashed, one that takes them late was paused. Messages to the shared
 * objects and to storage arrive late, or never, after their sender has forgotten them.
 *
 * Checked: a strong read returns everything that was acknowledged before it began, and a write is
 * only applied to a state that contains all writes before it. So two owners never both answer.
 *
 * tests/protocol/run.py checks it, and that each of these mistakes is found:
 *   LEASE_FROM_ANSWER     the lease counts from the answer to a renewal
 *   TOO_MUCH_DRIFT        the clocks of holder and observer drift apart by more than the margin
 *   NO_LEASE_CHECK        reads are answered without a lease
 *   NO_FENCING            storage accepts the writes of every epoch
 *   RECOVER_BEFORE_FENCE  a new owner reads the data before it fences the old one
 *   TAKE_FROM_LIVE        a partition is taken without asking whether its owner is gone
 *   NO_SEAL               a new owner ignores a split that the old one began
 */

#define NODES 2
#define PARTITIONS 2
#define NOBODY 255

/* Time passes in ticks. Observers wait for the lease, holders use less of it; the margin is one tick. */
#define LEASE 2
#ifdef TOO_MUCH_DRIFT
#define USABLE 3
#else
#define USABLE 1
#endif

#ifndef WRITES_MAX
#define WRITES_MAX 2
#endif
#ifndef EPOCH_MAX
#define EPOCH_MAX 3
#endif
#ifndef WISHES_MAX
#define WISHES_MAX 2
#endif

/* --- The shared objects --- */

/* An owner is a node with its incarnation: a node may come back once. */
#define OWNER(n) (n + NODES * incarnation[n])
#define NODE_OF(owner) (owner % NODES)

byte incarnation[NODES];  /* of the node's object */
bool dead[NODES];         /* what the node's object says of it */
byte wish = 0;            /* the assignment: the node that shall own everything */
byte wishes = 0;          /* so many changes of it */
mtype = { RESERVED, SWITCHED, CANCELLED, UNSPLIT };
mtype split = UNSPLIT;    /* what the catalog says */

/* --- Storage, by partition --- */

byte owner[PARTITIONS];   /* the directory object: owner and epoch */
byte epoch[PARTITIONS];
byte fence[PARTITIONS];   /* the epoch whose writes are accepted */
byte stored[PARTITIONS];  /* how many writes are applied */
bool sealed;              /* partition 0: a split has begun; written like data */

/* --- What the nodes know --- */

byte usable[NODES];       /* ticks left of the lease */
mtype = { IDLE, SENT, APPLIED };
mtype renewal[NODES] = IDLE;
byte renewal_age[NODES];  /* ticks since it was sent */

bool same[NODES];         /* by node watched: its counter is the one the observer noted ... */
byte silent[NODES];       /* ... so many ticks ago */

mtype = { CLOSED, CHECKED, RAISED, FENCED, READ, OPEN, SEALING, SEALED, COPIED };
mtype stage[NODES] = CLOSED;
byte part[NODES];         /* the partition that the rest is about */
byte held_epoch[NODES];
byte memory[NODES];       /* how many writes the node knows */

byte reader = NOBODY;     /* the node that is reading; one read at a time is enough to find a stale one */
byte read_least;          /* writes acknowledged before the read began */
byte read_value;
byte read_epoch;

mtype writing[NODES] = IDLE;
byte write_epoch[NODES];
byte write_part[NODES];
byte write_base[NODES];   /* the state that the write was made for */

/* --- For the proof only --- */

byte acknowledged = 0;

#define owns(n) (owner[0] == OWNER(n) || owner[1] == OWNER(n))
#define min(a, b) (a < b -> a : b)
#define other(n) (1 - n)
#define is_open(n) (stage[n] == OPEN)
#define is_gone(o) (dead[NODE_OF(o)] || OWNER(NODE_OF(o)) != o)
#ifdef TAKE_FROM_LIVE
#define may_take(n, p) true
#else
#define may_take(n, p) (owner[p] == NOBODY || owner[p] == OWNER(n) || is_gone(owner[p]))
#endif
#ifdef NO_FENCING
#define accepts(p, e) true
#else
#define accepts(p, e) (fence[p] == e)
#endif
#ifdef NO_LEASE_CHECK
#define holds(n) true
#else
#define holds(n) (usable[n] > 0)
#endif
inline close(n) {
    stage[n] = CLOSED; held_epoch[n] = 0; memory[n] = 0; part[n] = 0
}

/* Time passes for everybody. */
inline tick() {
    byte i;
    for (i : 0 .. NODES - 1) {
        usable[i] = (usable[i] > 0 -> usable[i] - 1 : 0);
        renewal_age[i] = (renewal[i] == IDLE -> 0 : min(renewal_age[i] + 1, USABLE));
        silent[i] = (same[i] -> min(silent[i] + 1, LEASE) : 0);
    }
    i = 0;
}

/* --- Leases of node n, and its observer. A node renews while it has a partition or takes one --- */

inline lease_step(n) {
    if
    :: renewal[n] == IDLE && !dead[n] && stage[n] != CLOSED -> renewal[n] = SENT; renewal_age[n] = 0
    /* It arrives: compare-and-set against being declared dead. */
    :: renewal[n] == SENT && !dead[n] -> renewal[n] = APPLIED; same[n] = false; silent[n] = 0
    /* The answer arrives. */
    :: renewal[n] == APPLIED ->
#ifdef LEASE_FROM_ANSWER
        usable[n] = USABLE;
#else
        usable[n] = (usable[n] > USABLE - renewal_age[n] -> usable[n] : USABLE - renewal_age[n]);
#endif
        renewal[n] = IDLE; renewal_age[n] = 0
    /* The request or the answer is lost. */
    :: renewal[n] != IDLE -> renewal[n] = IDLE; renewal_age[n] = 0
    fi
}

/* Only nodes that own something matter here. */
inline observe(n) {
    if
    :: owns(n) && !dead[n] && !same[n] -> same[n] = true; silent[n] = 0
    /* Compare-and-set on the version that was seen. */
    :: owns(n) && !dead[n] && same[n] && silent[n] == LEASE -> dead[n] = true; same[n] = false; silent[n] = 0
    fi
}

/* The node finds that it is dead, drops everything, and joins again as somebody else. Its new
 * object gives it a lease like a renewal. */
inline rejoin(n) {
    if
    :: dead[n] && incarnation[n] == 0 ->
        usable[n] = 0; renewal[n] = SENT; renewal_age[n] = 0; same[n] = false; silent[n] = 0;
        close(n);
        incarnation[n] = 1; dead[n] = false
    fi
}

/* --- Ownership --- */

#define wanted_part (split == SWITCHED -> 1 : 0)

inline take(n) {
    if
    :: stage[n] == CLOSED && wish == n && may_take(n, wanted_part) &&
       epoch[wanted_part] < EPOCH_MAX ->
        part[n] = wanted_part; held_epoch[n] = epoch[wanted_part]; stage[n] = CHECKED
    /* Compare-and-set of the directory. */
    :: stage[n] == CHECKED ->
        if
        :: epoch[part[n]] == held_epoch[n] ->
            epoch[part[n]]++; held_epoch[n]++; owner[part[n]] = OWNER(n); stage[n] = RAISED
        :: else -> close(n)
        fi
#ifdef RECOVER_BEFORE_FENCE
    :: stage[n] == RAISED -> memory[n] = stored[part[n]]; stage[n] = READ
    :: stage[n] == READ ->
        if
        :: fence[part[n]] < held_epoch[n] -> fence[part[n]] = held_epoch[n]; stage[n] = FENCED
        :: else -> close(n)
        fi
    :: stage[n] == FENCED -> stage[n] = OPEN
#else
    :: stage[n] == RAISED ->
        if
        :: fence[part[n]] < held_epoch[n] -> fence[part[n]] = held_epoch[n]; stage[n] = FENCED
        :: else -> close(n)
        fi
    :: stage[n] == FENCED -> memory[n] = stored[part[n]]; stage[n] = READ
    /* A seal is found in the data: the split that it belongs to is over, or is cancelled first. */
    :: stage[n] == READ ->
        if
#ifndef NO_SEAL
        :: part[n] == 0 && sealed && split == SWITCHED -> close(n)
        :: part[n] == 0 && sealed && split == RESERVED -> split = CANCELLED
        :: part[n] == 0 && sealed && split == CANCELLED ->
            if
            :: accepts(0, held_epoch[n]) -> sealed = false
            :: else -> close(n)
            fi
        :: !(part[n] == 0 && sealed) -> stage[n] = OPEN
#else
        :: true -> stage[n] = OPEN
#endif
        fi
#endif
    fi
}

/* A planned move: close, then give the directory back. */
inline release(n) {
    if
    :: stage[n] == OPEN && wish != n ->
        if
        :: epoch[part[n]] == held_epoch[n] -> owner[part[n]] = NOBODY
        :: else
        fi;
        close(n)
    fi
}

/* --- A split by the owner of partition 0 --- */

inline split_step(n) {
    if
    :: stage[n] == OPEN && part[n] == 0 && split == UNSPLIT && writing[n] == IDLE ->
        split = RESERVED; stage[n] = SEALING
    /* The last record of the parent. Fails when another owner has fenced it. */
    :: stage[n] == SEALING ->
        if
        :: accepts(0, held_epoch[n]) -> assert(stored[0] == memory[n]); sealed = true; stage[n] = SEALED
        :: else -> close(n)
        fi
    :: stage[n] == SEALED ->
        stored[1] = memory[n]; epoch[1] = 1; fence[1] = 1; owner[1] = OWNER(n); stage[n] = COPIED
    /* The catalog replaces the parent, unless the split was cancelled. */
    :: stage[n] == COPIED ->
        if
        :: split == RESERVED && epoch[1] == 1 ->
            split = SWITCHED; part[n] = 1; held_epoch[n] = 1; stage[n] = OPEN
        :: else -> close(n)
        fi
    fi
}

/* --- Clients --- */

inline read_step(n) {
    if
    :: reader == NOBODY && is_open(n) ->
        reader = n; read_least = acknowledged; read_value = memory[n];
        read_epoch = held_epoch[n] + 8 * part[n]
    :: reader == n ->
        if
        :: is_open(n) && read_epoch == held_epoch[n] + 8 * part[n] && holds(n) ->
            assert(read_value >= read_least)
        :: else
        fi;
        reader = NOBODY; read_least = 0; read_value = 0; read_epoch = 0
    fi
}

inline write_step(n) {
    if
    :: writing[n] == IDLE && is_open(n) && memory[n] < WRITES_MAX ->
        writing[n] = SENT; write_epoch[n] = held_epoch[n]; write_part[n] = part[n];
        write_base[n] = memory[n]
    /* Storage applies it, maybe long after its sender is gone. */
    :: writing[n] == SENT && accepts(write_part[n], write_epoch[n]) ->
        assert(stored[write_part[n]] == write_base[n]);
        stored[write_part[n]]++; writing[n] = APPLIED
    /* The answer arrives, if whoever waits for it is still there. */
    :: writing[n] == APPLIED ->
        if
        :: is_open(n) && held_epoch[n] == write_epoch[n] && part[n] == write_part[n] ->
            memory[n] = write_base[n] + 1;
            acknowledged = (acknowledged > memory[n] -> acknowledged : memory[n])
        :: else
        fi;
        writing[n] = IDLE; write_epoch[n] = 0; write_part[n] = 0; write_base[n] = 0
    /* Refused by the fence. */
    :: writing[n] == SENT && !accepts(write_part[n], write_epoch[n]) ->
        writing[n] = IDLE; write_epoch[n] = 0; write_part[n] = 0; write_base[n] = 0
    fi
}

init {
    atomic {
        owner[0] = NOBODY; owner[1] = NOBODY
    };
end:
    do
    :: d_step { tick() }
    :: atomic { wishes < WISHES_MAX -> wishes++; wish = other(wish) }
    :: atomic { lease_step(0) }
    :: atomic { observe(0) }
#ifndef NO_REJOIN
    :: atomic { rejoin(0) }
#endif
    :: atomic { take(0) }
    :: atomic { release(0) }
#ifndef NO_SPLIT
    :: atomic { split_step(0) }
#endif
    :: atomic { read_step(0) }
    :: atomic { write_step(0) }
    :: atomic { lease_step(1) }
    :: atomic { observe(1) }
    :: atomic { take(1) }
    :: atomic { release(1) }
#ifndef NO_SPLIT
    :: atomic { split_step(1) }
#endif
    :: atomic { read_step(1) }
    :: atomic { write_step(1) }
    od
}
