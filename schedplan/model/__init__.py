"""What the problem is: frozen records of cluster, workload, forecast, problem, plan and findings; no behaviour beyond them."""
