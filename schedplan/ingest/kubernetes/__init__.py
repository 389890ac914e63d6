"""Kubernetes: nodes, pods, workloads and queues as kubectl prints them and manifests say them."""
