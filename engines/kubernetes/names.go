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

// permitNames lets the name servers of nodes read what they answer for.
func permitNames(ctx context.Context, dir string) error {
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, "virga.conf"))
	if err != nil {
		return err
	}
	client, err := clientset.NewForConfig(config)
	if err != nil {
		return err
	}
	verbs := []string{"list", "watch"}
	name := metav1.ObjectMeta{Name: namesUser}
	role := &rbac.ClusterRole{ObjectMeta: name, Rules: []rbac.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"services", "namespaces"}, Verbs: verbs},
		{APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}, Verbs: verbs},
	}}
	binding := &rbac.ClusterRoleBinding{
		ObjectMeta: name,
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: namesUser},
		Subjects:   []rbac.Subject{{APIGroup: rbac.GroupName, Kind: rbac.UserKind, Name: namesUser}},
	}
	if _, err := client.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil && !errors.IsAlreadyExists(err) {
		return err
	}
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
	if errors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
