"""The statements of each verb that moves, keeps or erases something."""
