"""What is risky in a socket's set-up, told before anything is lost: one rule an idea, each a pure function.

Every statement here is shown by a run over real sockets in tests/instrumentation/test_findings*.py: books and man pages
differ from it in places, and from each other.
"""
