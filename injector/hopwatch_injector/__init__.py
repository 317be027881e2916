"""The admission webhook of Kubernetes: adds agent and instrumentation to pods that ask for it."""
