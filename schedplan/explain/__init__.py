"""Why a plan is as it is, as records of reasons and numbers; no words of presentation, no solver."""
