"""The second engine of the goal algebra: goals compiled to SQL, and the expectation they imply."""
