package main

import (
	"context"
	"path/filepath"

	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	clusterDomain = "cluster.local"
	// Whom the name servers of nodes are.
	namesUser = "virga:names"
)

// namesRules are what name servers of nodes read to answer.
var namesRules = []rbac.PolicyRule{
	{APIGroups: []string{""}, Resources: []string{"services", "namespaces"}, Verbs: []string{"list", "watch"}},
	{APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}, Verbs: []string{"list", "watch"}},
}

// serveNodes makes what programs of nodes need in a cluster: rights of their own, and the class of volumes.
func serveNodes(ctx context.Context, dir string) error {
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, "virga.conf"))
	if err != nil {
		return err
	}
	client, err := clientset.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := permit(ctx, client, namesUser, namesRules); err != nil {
		return err
	}
	if err := permit(ctx, client, volumesUser, volumeRules); err != nil {
		return err
	}
	return offerVolumes(ctx, client)
}

// permit lets a user do what the rules say, in the whole cluster.
func permit(ctx context.Context, client clientset.Interface, user string, rules []rbac.PolicyRule) error {
	name := metav1.ObjectMeta{Name: user}
	role := &rbac.ClusterRole{ObjectMeta: name, Rules: rules}
	binding := &rbac.ClusterRoleBinding{
		ObjectMeta: name,
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: user},
		Subjects:   []rbac.Subject{{APIGroup: rbac.GroupName, Kind: rbac.UserKind, Name: user}},
	}
	if _, err := client.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil && !errors.IsAlreadyExists(err) {
		return err
	}
	_, err := client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
	if errors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
