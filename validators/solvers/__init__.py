"""One short, hand-written solver per intent: what a person would compute from the state and the slots alone.

A solver shares nothing with the goals, the programs or the engines: a wrong goal, which all of them read, does not go
unnoticed. Solvers are found through the entry-point group `pausegen.solvers`.
"""
