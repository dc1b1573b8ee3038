package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	v1 "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	// Whom the provisioners of nodes are.
	volumesUser = "virga:volumes"
	volumeClass = "standard"
	provisioner = "virga.local/folders"
	// Where a node has the volumes of its cluster.
	volumesFolder = "/var/lib/virga-volumes"

	selectedNode  = "volume.kubernetes.io/selected-node"
	provisionedBy = "pv.kubernetes.io/provisioned-by"
)

// volumeRules are what provisioners may do.
var volumeRules = []rbac.PolicyRule{
	{APIGroups: []string{""}, Resources: []string{"persistentvolumes"}, Verbs: []string{"list", "watch", "create", "delete"}},
	{APIGroups: []string{""}, Resources: []string{"persistentvolumeclaims", "nodes"}, Verbs: []string{"list", "watch"}},
	{APIGroups: []string{"storage.k8s.io"}, Resources: []string{"storageclasses"}, Verbs: []string{"list", "watch"}},
	{APIGroups: []string{""}, Resources: []string{"events"}, Verbs: []string{"create"}},
}

// offerVolumes makes the class of volumes that claims get which name none. Who deletes it gets it again when the control
// plane starts; what was changed in it stays.
func offerVolumes(ctx context.Context, client clientset.Interface) error {
	binding, reclaim := storage.VolumeBindingWaitForFirstConsumer, v1.PersistentVolumeReclaimDelete
	class := &storage.StorageClass{
		ObjectMeta: metav1.ObjectMeta{
			Name:        volumeClass,
			Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"},
		},
		Provisioner:       provisioner,
		ReclaimPolicy:     &reclaim,
		VolumeBindingMode: &binding,
	}
	_, err := client.StorageV1().StorageClasses().Create(ctx, class, metav1.CreateOptions{})
	if errors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// volumes makes and removes the volumes of a cluster: folders that all of its nodes see, so that a pod finds its data on
// whichever node it runs.
type volumes struct {
	machine machineOptions
	client  clientset.Interface

	claims, volumes, classes, nodes cache.Store
}

// keepVolumes runs until the context ends.
func keepVolumes(ctx context.Context, machine machineOptions, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := clientset.NewForConfig(config)
	if err != nil {
		return err
	}
	changed := make(chan struct{}, 1)
	tell := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	factory := informers.NewSharedInformerFactory(client, 10*time.Minute)
	core := factory.Core().V1()
	watched := []cache.SharedIndexInformer{
		core.PersistentVolumeClaims().Informer(), core.PersistentVolumes().Informer(),
		factory.Storage().V1().StorageClasses().Informer(), core.Nodes().Informer(),
	}
	for _, informer := range watched {
		_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { tell() },
			UpdateFunc: func(any, any) { tell() },
			DeleteFunc: func(any) { tell() },
		})
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	all := volumes{
		machine: machine, client: client,
		claims: watched[0].GetStore(), volumes: watched[1].GetStore(),
		classes: watched[2].GetStore(), nodes: watched[3].GetStore(),
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
		if err := all.reconcile(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "virga-kubernetes: volumes:", err)
			time.AfterFunc(time.Second, tell)
		}
	}
}

func (s *volumes) reconcile(ctx context.Context) error {
	isFirst, known := s.position()
	var last error
	for _, each := range s.claims.List() {
		claim := each.(*v1.PersistentVolumeClaim)
		node := claim.Annotations[selectedNode]
		isMine := node == s.machine.name || isFirst && node != "" && !known[node]
		if !isMine || claim.Spec.VolumeName != "" || claim.DeletionTimestamp != nil {
			continue
		}
		if err := s.provision(ctx, claim); err != nil {
			s.report(ctx, claim, err)
			last = err
		}
	}
	if !isFirst {
		return last
	}
	for _, each := range s.volumes.List() {
		volume := each.(*v1.PersistentVolume)
		isLeft := volume.Status.Phase == v1.VolumeReleased && volume.Spec.PersistentVolumeReclaimPolicy == v1.PersistentVolumeReclaimDelete
		if volume.Annotations[provisionedBy] != provisioner || !isLeft || volume.DeletionTimestamp != nil {
			continue
		}
		if err := s.remove(ctx, volume.Name); err != nil {
			last = err
		}
	}
	return last
}

// position says whether this node does what no node is named for: it is the first by name of those that are ready.
func (s *volumes) position() (isFirst bool, known map[string]bool) {
	first := ""
	known = map[string]bool{}
	for _, each := range s.nodes.List() {
		node := each.(*v1.Node)
		known[node.Name] = true
		for _, condition := range node.Status.Conditions {
			isReady := condition.Type == v1.NodeReady && condition.Status == v1.ConditionTrue
			if isReady && (first == "" || node.Name < first) {
				first = node.Name
			}
		}
	}
	return first == s.machine.name, known
}

// provision makes the folder of a claim, and a volume that only this claim can have.
func (s *volumes) provision(ctx context.Context, claim *v1.PersistentVolumeClaim) error {
	if claim.Spec.StorageClassName == nil {
		return nil
	}
	found, exists, err := s.classes.GetByKey(*claim.Spec.StorageClassName)
	if err != nil || !exists {
		return err
	}
	class := found.(*storage.StorageClass)
	if class.Provisioner != provisioner {
		return nil
	}
	if claim.Spec.VolumeMode != nil && *claim.Spec.VolumeMode == v1.PersistentVolumeBlock {
		return fmt.Errorf("volumes of the class %s are folders: set volumeMode to Filesystem", class.Name)
	}
	name := "pvc-" + string(claim.UID)
	folder := filepath.Join(volumesFolder, name)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	// Pods have accounts of all kinds.
	if err := os.Chmod(folder, 0o777); err != nil {
		return err
	}
	reclaim := v1.PersistentVolumeReclaimDelete
	if class.ReclaimPolicy != nil {
		reclaim = *class.ReclaimPolicy
	}
	mode := v1.PersistentVolumeFilesystem
	volume := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{provisionedBy: provisioner}},
		Spec: v1.PersistentVolumeSpec{
			Capacity:                      v1.ResourceList{v1.ResourceStorage: claim.Spec.Resources.Requests[v1.ResourceStorage]},
			AccessModes:                   claim.Spec.AccessModes,
			PersistentVolumeReclaimPolicy: reclaim,
			StorageClassName:              class.Name,
			VolumeMode:                    &mode,
			ClaimRef: &v1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
			PersistentVolumeSource: v1.PersistentVolumeSource{Local: &v1.LocalVolumeSource{Path: folder}},
			NodeAffinity:           everyNode,
		},
	}
	_, err = s.client.CoreV1().PersistentVolumes().Create(ctx, volume, metav1.CreateOptions{})
	if errors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// A volume of this kind has to say which nodes have it: here all of them do.
var everyNode = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
	MatchExpressions: []v1.NodeSelectorRequirement{
		{Key: v1.LabelOSStable, Operator: v1.NodeSelectorOpIn, Values: []string{"linux"}},
	},
}}}}

// remove removes the data of a volume before the volume: one that is there has its data.
func (s *volumes) remove(ctx context.Context, name string) error {
	if err := os.RemoveAll(filepath.Join(volumesFolder, filepath.Base(name))); err != nil {
		return err
	}
	err := s.client.CoreV1().PersistentVolumes().Delete(ctx, name, metav1.DeleteOptions{})
	if errors.IsNotFound(err) {
		return nil
	}
	return err
}

// report tells the owner of a claim why it has no volume.
func (s *volumes) report(ctx context.Context, claim *v1.PersistentVolumeClaim, fault error) {
	now := metav1.Now()
	event := &v1.Event{
		// One for each claim: it is tried again every second.
		ObjectMeta: metav1.ObjectMeta{Name: claim.Name + ".virga-volumes", Namespace: claim.Namespace},
		InvolvedObject: v1.ObjectReference{
			APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
		},
		Type: v1.EventTypeWarning, Reason: "ProvisioningFailed", Message: fault.Error(),
		Source: v1.EventSource{Component: provisioner}, FirstTimestamp: now, LastTimestamp: now, Count: 1,
	}
	_, _ = s.client.CoreV1().Events(claim.Namespace).Create(ctx, event, metav1.CreateOptions{})
}
