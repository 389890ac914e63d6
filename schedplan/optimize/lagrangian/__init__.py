"""The Lagrangian relaxation of room and plain quotas over all slots: its prices, what they prove, how they climb."""
