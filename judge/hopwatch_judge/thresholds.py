"""Thresholds, each with where it comes from. Those without a source held in the simulated fleets and the recorded systems."""

LONGEST_BURST = 10
"""Seconds: a pipe that held all of what comes in a longer stretch would make messages as old as that, and is no cure."""
LOSSY = 0.01
"""Of the segments that a connection sent: with as many sent again, packets are lost on the way."""

FOUND_DEAD_WITHIN = 5
"""Seconds until an agent notices that a process is gone: it asks each few seconds."""
STILL_READING = 3
"""Who had some left to read when nothing more was sent is taken to read on for so many times as long as it takes for a message on average."""
IDLE_SECONDS = 0.3
"""Without a message for as long, a receiver has read all that had reached it."""
SEEN_DOWN_WITHIN = 0.3
"""Seconds until an end that closes has seen its connections go down."""
TOLD_LATE = 0.2
"""Seconds: the first message of a new connection may be read before a monitor has told of it."""
CLOCKS_MAY_DIFFER_BY = 10
"""Seconds, of clocks that nothing compares."""
CLOCKS_COMPARED_WITHIN = 0.5
"""Seconds: two clocks that connections compare may still be so far apart, since each is left as it is up to half of that."""
CLOCKS_TOLD_WITHIN = 0.3
"""Seconds: two clocks that messages compare may still be so far apart."""
SOON_AFTER = 3
"""Events: a sender writes its lanes right behind the disconnection they belong to."""
AT_ONCE = 1
"""Seconds: ends of a stream's lanes that are as near to each other are of one full pipe."""
UNDER_WAY = 5
"""Seconds: older messages than that are hardly still on their way when a connection goes down."""
SAMPLED_WITHIN = 1
"""Seconds: what was sent is seen in a sample so much later at most."""
SURELY_JOINED_WITHIN = 1
"""Seconds until a subscription has come to the sender, once there is a connection."""
SURELY_BEFORE = 0.5
"""Seconds: of two messages of different senders to one place, the one that was sent so much earlier comes first, whatever their clocks and ways."""
CAUGHT_UP_WITHIN = 0.3
"""Seconds: who got a message sent so shortly before was reading what there was. And so much two hosts' clocks may differ."""
COUNTED_WITHIN = 2
"""Seconds: a proxy's counts are asked for and sampled no more often."""
HARDLY_ANY = 0.1
"""Of what was lost with the end of a lane: the share of it that may have had another cause than the rest."""

READ_AT_ONCE_WITHIN = 0.02
"""Seconds between the send of a message and its receipt: its receiver had read all that came before."""
AS_EVEN = 0.8
"""Of the time that a lost range would take at the pace beside it: in less, its sender is uneven, and no pace of it proves anything."""
STRETCH_PAUSE = 10
"""Seconds between two losses of one stretch, at most."""
SHORTEST_INTERVAL = 0.02
"""Seconds: a rate over less says more about scheduling than about the receiver."""
FEWEST_MESSAGES = 5
"""Messages: a rate of fewer says as little."""
WAITS_SHOW = 2
"""Samples: a receiver may wait once for its first message of all, and ask before each other receive in a way that nobody counts."""
LONGEST_PAUSE_IN_RUN = 0.5
"""Seconds between two gaps of one burst."""
OVERLOAD_CLEARLY = 0.9
"""Of what it was asked to read: a receiver that read less was too slow, however rates are measured."""
OVERLOAD_BUSY = 0.5
"""Of the time that losses should take of a receiver that was too slow all the time."""
OVERLOAD_RESTS = 2
"""A receiver that rested so often between losses met bursts: once may be the end of an overload, with a burst soon after."""
BURSTS_AT_MOST = 0.5
"""Of the time that a stream was active: losses that span as much are no bursts."""
IN_REACH = 0.5
"""Of the rate that a receiver is asked to read: one that reads more slowly still did not catch up, though it once had to wait."""
MUCH_LESS = 0.5
"""Of the time that it takes to read half of a full pipe: a message read sooner met no full pipe."""
FULL_PIPES = 2
"""A receiver that loses none of so many pipes full of messages in a row has read them."""
