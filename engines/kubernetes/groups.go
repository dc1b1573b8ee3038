package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	groupsRoot = "/sys/fs/cgroup"
	// Folder of the groups of all nodes of this machine.
	groupsFolder = "virga"
	// A node needs this much beside what its pods may have.
	memoryOfSystem  = 512 * mebibyte
	processesOfNode = 16_384
	groupPeriod     = 100_000
)

// Controllers of the first version of control groups that containers use.
var controllers1 = []string{"cpuset", "cpu", "cpuacct", "blkio", "memory", "devices", "freezer", "pids"}

func isUnified() bool {
	var stat unix.Statfs_t
	return unix.Statfs(groupsRoot, &stat) == nil && stat.Type == unix.CGROUP2_SUPER_MAGIC
}

// foldersOf are the control groups of a node.
func foldersOf(id string) []string {
	if isUnified() {
		return []string{filepath.Join(groupsRoot, groupsFolder, id)}
	}
	folders := []string{}
	for _, controller := range controllers1 {
		root := filepath.Join(groupsRoot, controller)
		if _, err := os.Stat(root); err == nil {
			folders = append(folders, filepath.Join(root, groupsFolder, id))
		}
	}
	return folders
}

// makeGroups makes the control groups of a node. Their limits are what its flavor has; its root can divide them, not change
// them.
func makeGroups(options machineOptions) ([]string, error) {
	if err := removeGroups(options.id); err != nil {
		return nil, err
	}
	folders := foldersOf(options.id)
	for _, folder := range folders {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, fmt.Errorf("cannot make a control group: %w", err)
		}
	}
	set := limits1
	if isUnified() {
		set = limits2
	}
	if err := set(options); err != nil {
		return nil, err
	}
	for _, folder := range folders {
		for _, name := range []string{"", "cgroup.procs", "tasks", "cgroup.threads", "cgroup.subtree_control"} {
			file := filepath.Join(folder, name)
			if _, err := os.Stat(file); err != nil {
				continue
			}
			if err := os.Chown(file, options.firstAccount, options.firstAccount); err != nil {
				return nil, err
			}
		}
	}
	return folders, nil
}

func limits1(options machineOptions) error {
	in := func(controller, name string) string {
		return filepath.Join(groupsRoot, controller, groupsFolder, options.id, name)
	}
	for _, name := range []string{"cpuset.cpus", "cpuset.mems"} {
		all, err := os.ReadFile(filepath.Join(groupsRoot, "cpuset", name))
		if err != nil {
			continue
		}
		for _, file := range []string{filepath.Join(groupsRoot, "cpuset", groupsFolder, name), in("cpuset", name)} {
			if err := os.WriteFile(file, all, 0o644); err != nil {
				return fmt.Errorf("cpuset: %w", err)
			}
		}
	}
	memory := strconv.Itoa(options.memory*mebibyte + memoryOfSystem)
	values := map[string]string{
		in("memory", "memory.use_hierarchy"):  "1",
		in("memory", "memory.limit_in_bytes"): memory,
		in("cpu", "cpu.cfs_period_us"):        strconv.Itoa(groupPeriod),
		in("cpu", "cpu.cfs_quota_us"):         strconv.Itoa(options.cores * groupPeriod),
		in("pids", "pids.max"):                strconv.Itoa(processesOfNode),
	}
	return writeLimits(values)
}

func limits2(options machineOptions) error {
	// Controllers are passed on from the root of all groups, which may have processes beside.
	for _, folder := range []string{groupsRoot, filepath.Join(groupsRoot, groupsFolder)} {
		for _, controller := range []string{"cpuset", "cpu", "io", "memory", "pids"} {
			_ = os.WriteFile(filepath.Join(folder, "cgroup.subtree_control"), []byte("+"+controller), 0o644)
		}
	}
	in := func(name string) string { return filepath.Join(groupsRoot, groupsFolder, options.id, name) }
	return writeLimits(map[string]string{
		in("memory.max"): strconv.Itoa(options.memory*mebibyte + memoryOfSystem),
		in("cpu.max"):    fmt.Sprintf("%d %d", options.cores*groupPeriod, groupPeriod),
		in("pids.max"):   strconv.Itoa(processesOfNode),
	})
}

// writeLimits sets limits, as far as this machine has their controllers.
func writeLimits(values map[string]string) error {
	for file, value := range values {
		if _, err := os.Stat(file); err != nil {
			continue
		}
		if strings.HasSuffix(file, "use_hierarchy") {
			_ = os.WriteFile(file, []byte(value), 0o644)
			continue
		}
		if err := os.WriteFile(file, []byte(value), 0o644); err != nil {
			return fmt.Errorf("cannot limit the node: %w", err)
		}
	}
	return nil
}

// removeGroups removes the groups of a node and those in them. Its processes have ended, or are about to.
func removeGroups(id string) error {
	var last error
	for tries := 0; tries < 100; tries++ {
		last = nil
		for _, folder := range foldersOf(id) {
			last = errors.Join(last, removeGroup(folder))
		}
		if last == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("cannot remove the control groups of the node: %w", last)
}

func removeGroup(folder string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := removeGroup(filepath.Join(folder, entry.Name())); err != nil {
				return err
			}
		}
	}
	if err := unix.Rmdir(folder); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: %w", folder, err)
	}
	return nil
}
