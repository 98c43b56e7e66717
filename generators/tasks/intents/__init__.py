"""One folder per intent: goal, program, binding, and the sentence forms beside them."""
