package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Where containerd looks up how to reach registries.
const registriesFolder = "/etc/containerd/certs.d"

const pauseImage = "virga.local/pause:1"

// writeConfiguration writes what the programs of a node read.
func writeConfiguration(options machineOptions) error {
	files := map[string]string{
		"/etc/containerd.toml": containerdConfiguration(),
		"/etc/kube-proxy.yaml": proxyConfiguration(options),
		"/etc/Corefile":        namesConfiguration(options),
	}
	if options.mirror != "" {
		files[filepath.Join(registriesFolder, "_default", "hosts.toml")] = mirrorConfiguration(options.mirror)
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func containerdConfiguration() string {
	return fmt.Sprintf(`version = 2
root = %q
state = "/run/containerd"
[grpc]
  address = %q
[ttrpc]
  address = "/run/containerd-ttrpc.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = %q
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = %q
    conf_dir = %q
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = %q
  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
`, containerdFolder, runtimeSocket, pauseImage, cniPlugins, cniFolder, registriesFolder)
}

// mirrorConfiguration has the mirror asked for every image; what it does not have comes from the registry of its name.
func mirrorConfiguration(mirror string) string {
	return fmt.Sprintf("[host.%q]\n  capabilities = [\"pull\", \"resolve\"]\n", mirror)
}

func proxyConfiguration(options machineOptions) string {
	return fmt.Sprintf(`apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
hostnameOverride: %q
clusterCIDR: %q
clientConnection: {kubeconfig: %q}
conntrack: {maxPerCore: 0, min: 0, tcpCloseWaitTimeout: 0s, tcpEstablishedTimeout: 0s}
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
`, options.name, options.pods, filepath.Join(options.dir, "kube-proxy.conf"))
}

// namesConfiguration answers for services of the cluster, and asks the name servers of this machine for all else.
func namesConfiguration(options machineOptions) string {
	return fmt.Sprintf(`.:53 {
  bind %s
  errors
  cache 10
  kubernetes %s in-addr.arpa ip6.arpa {
    kubeconfig %s virga
    pods insecure
    fallthrough in-addr.arpa ip6.arpa
  }
  forward . /etc/resolv.conf
}
`, addressAlone(options), clusterDomain, filepath.Join(options.dir, "names.conf"))
}

// programsOf are the programs of a node, in the order in which they start.
func programsOf(options machineOptions) []*program {
	self, _ := os.Executable()
	containerd, err := exec.LookPath("containerd")
	if err != nil {
		containerd = "/usr/bin/containerd"
	}
	programs := []*program{
		{words: []string{containerd, "--config=/etc/containerd.toml"}},
		{words: []string{self, "kube-proxy", "--config=/etc/kube-proxy.yaml"}},
		{words: []string{
			self, "machine-kubelet",
			"--dir=" + options.dir, "--name=" + options.name, "--address=" + options.address, "--pods=" + options.pods, "--names=" + options.names,
			"--id=" + options.id, "--taints=" + options.taints, fmt.Sprintf("--cores=%d", options.cores),
			fmt.Sprintf("--memory=%d", options.memory), fmt.Sprintf("--max-pods=%d", options.maxPods),
			"--labels=" + options.labels, "--images=" + options.images, "--volumes=" + options.volumes,
		}},
	}
	if options.names != "" {
		words := []string{options.names, "-conf", "/etc/Corefile"}
		programs = slices.Insert(programs, 1, &program{words: words})
	}
	return programs
}
