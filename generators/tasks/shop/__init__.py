"""What intents that buy something share: goals, programs and binding over the store, the wallet and the cart."""
