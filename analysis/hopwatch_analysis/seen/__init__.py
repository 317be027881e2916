"""What is seen beside the lanes: kernels, hang-ups, what nobody got, and what ROUTERs swallowed."""
