// virga-coredns is CoreDNS with the few plugins that a node of Kubernetes needs: it knows the services of its cluster, and asks
// the name servers of the machine for all else.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/kubernetes"
)

func main() {
	// The order in which plugins see a question.
	dnsserver.Directives = []string{"bind", "errors", "cache", "kubernetes", "forward"}
	coremain.Run()
}
