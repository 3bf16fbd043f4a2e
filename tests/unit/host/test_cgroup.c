// SPDX-License-Identifier: GPL-2.0-or-later
/* lib/cgroup: groups by id in a tree made up for the test. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/str.h"
#include "lib/host/cgroup.h"
#include "tests/unit/scratch.h"
#include "tests/unit/stderr.h"
#include "tests/unit/test.h"

struct world {
	char *root, mountinfo[80];
	struct cgroup_table t;
};

static u64 make(const struct world *w, const char *path)
{
	char full[160];
	struct stat st;

	snprintf(full, sizeof(full), "%s%s", w->root, path);
	assert_true(mkdir(full, 0755) == 0 || errno == EEXIST);
	assert_int_equal(stat(full, &st), 0);
	return st.st_ino;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	FILE *f;

	w->root = scratch_make();
	snprintf(w->mountinfo, sizeof(w->mountinfo), "%s/mountinfo", w->root);
	f = fopen(w->mountinfo, "w");
	assert_non_null(f);
	fprintf(f, "22 28 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n");
	fprintf(f, "30 23 0:26 / /cg1 rw - cgroup cgroup2 rw,memory\n");
	fprintf(f, "31 23 0:27 / %s rw,nosuid shared:9 - cgroup2 cgroup2 rw\n", w->root);
	fclose(f);
	assert_int_equal(cgroup_init(&w->t, w->mountinfo), 0);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	int err = scratch_remove(w->root);

	cgroup_free(&w->t);
	free(w);
	return err;
}

TEST_WITH(paths, setup, teardown)
{
	struct world *w = *state;
	u64 slice = make(w, "/system.slice"), unit = make(w, "/system.slice/a b.service");

	assert_string_equal(w->t.mount, w->root);
	assert_string_equal(cgroup_path(&w->t, unit), "/system.slice/a b.service");
	assert_string_equal(cgroup_path(&w->t, slice), "/system.slice");
	assert_string_equal(cgroup_path(&w->t, make(w, "")), "/");
	assert_string_equal(cgroup_path(&w->t, make(w, "/.hidden")), "/.hidden");
}

/* A group made after the first look is found, one that ended keeps its name. */
TEST_WITH(groups_come_and_go, setup, teardown)
{
	struct world *w = *state;
	u64 first = make(w, "/first"), second;
	char path[80];

	assert_string_equal(cgroup_path(&w->t, first), "/first");
	assert_null(cgroup_path(&w->t, ~0ULL));
	second = make(w, "/second");
	assert_string_equal(cgroup_path(&w->t, second), "/second");
	snprintf(path, sizeof(path), "%s/first", w->root);
	assert_int_equal(rmdir(path), 0);
	assert_string_equal(cgroup_path(&w->t, first), "/first");
	assert_null(cgroup_path(&w->t, ~0ULL));
}

TEST_WITH(many, setup, teardown)
{
	struct world *w = *state;
	u64 id[200];
	char path[32];

	for (int i = 0; i < 200; i++) {
		snprintf(path, sizeof(path), "/group%d", i);
		id[i] = make(w, path);
	}
	for (int i = 199; i >= 0; i--) {
		snprintf(path, sizeof(path), "/group%d", i);
		assert_string_equal(cgroup_path(&w->t, id[i]), path);
	}
}

TEST_WITH(not_mounted, setup, teardown)
{
	struct cgroup_table t = { 0 };
	struct world *w = *state;
	FILE *f = fopen(w->mountinfo, "w");

	assert_non_null(f);
	fprintf(f, "22 28 0:20 / /sys rw - sysfs sysfs rw\nrubbish\n - cgroup2 \n");
	fclose(f);
	assert_int_equal(cgroup_init(&t, w->mountinfo), -ENOENT);
	assert_null(cgroup_path(&t, 1));
	cgroup_free(&t);
	assert_int_equal(cgroup_init(&t, "/nonexistent"), -ENOENT);
}

/* The tree of the test is no cgroup file system: nothing in it may be handed to BPF. */
TEST_WITH(open_refuses, setup, teardown)
{
	struct world *w = *state;
	struct stderr_capture capture;
	char messages[2000];

	make(w, "/system.slice");
	capture = stderr_begin();
	assert_int_equal(cgroup_open(&w->t, "system.slice"), EXIT_AS(EXIT_NOTHING));
	assert_int_equal(cgroup_open(&w->t, "/"), EXIT_AS(EXIT_NOTHING));
	assert_int_equal(cgroup_open(&w->t, ""), EXIT_AS(EXIT_NOTHING));
	assert_int_equal(cgroup_open(&w->t, "12345678901"), EXIT_AS(EXIT_NOTHING));
	stderr_end(&capture, messages, sizeof(messages));
	assert_non_null(strstr(messages, "error: -g system.slice: no such cgroup; "));
}

TEST(under)
{
	assert_true(cgroup_is_under("/a", 5, "/a"));
	assert_true(cgroup_is_under("a/", 5, "/a/b"));
	assert_true(cgroup_is_under("/sys/fs/cgroup/a", 5, "/a/b"));
	assert_true(cgroup_is_under("/sys/fs/cgroup/unified/a", 5, "/a"));
	assert_true(cgroup_is_under("/", 5, "/a"));
	assert_true(cgroup_is_under("5", 5, NULL));
	assert_true(cgroup_is_under("5", 7, "/5/x"));
	assert_false(cgroup_is_under("/a", 5, "/ab"));
	assert_false(cgroup_is_under("/a/b", 5, "/a"));
	assert_false(cgroup_is_under("/a", 5, NULL));
	assert_false(cgroup_is_under("6", 5, "/a"));
}

/* clang-format off */
#define ID   "3f2a9c1b77de4a10bb21cafe0123456789abcdef0123456789abcdef01234567"
#define NODE "aaaabbbbccccddddeeeeffff0000111122223333444455556666777788889999"
#define UID  "1a2b3c4d-0000-1111-2222-333344445555"
#define SUID "1a2b3c4d_0000_1111_2222_333344445555"
#define USER "/user.slice/user-1000.slice/user@1000.service"
#define PODS "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" SUID ".slice"
#define KIND "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/kubelet-kubepods-burstable-pod" SUID ".slice"

/* The names of groups as systemd, container engines and orchestrators make them. */
static const struct {
	const char *path, *name;
} names[] = {
	/* systemd */
	{ "/", "/" },
	{ "/batch/db", "/batch/db" },
	{ "/init.scope", "init.scope" },
	{ "/system.slice", "/system.slice" },
	{ "/system.slice/postgresql.service", "postgresql.service" },
	{ "/system.slice/system-postgresql.slice/postgresql@15-main.service", "postgresql@15-main.service" },
	{ "/system.slice/a.service/worker", "a.service/worker" },
	{ "/system.slice/slurmstepd.scope/job_12/step_0/user/task_0", "slurmstepd.scope/job_12/step_0/user/task_0" },
	{ "/user.slice/user-1000.slice/session-3.scope", "session-3.scope" },
	{ USER "/app.slice/b.service", "b.service" },
	{ USER "/app.slice/app-gnome-firefox-4711.scope", "app-gnome-firefox-4711.scope" },
	{ USER, "user@1000.service" },
	{ "/system.slice/a.service/system.slice/b.service", "a.service/system.slice/b.service" },
	/* docker, its builds, rootless, below a group of one's own, with systemd inside; ECS; nerdctl */
	{ "/system.slice/docker.service", "docker.service" },
	{ "/system.slice/docker-" ID ".scope", "docker/3f2a9c1b77de" },
	{ "/docker/" ID, "docker/3f2a9c1b77de" },
	{ "/docker/buildkit/abcdefghijklmnopqrstuvwxy", "/docker/buildkit/abcdefghijklmnopqrstuvwxy" },
	{ USER "/user.slice/docker-" ID ".scope", "docker/3f2a9c1b77de" },
	{ "/batch/" ID, "/batch/" ID },
	{ "/system.slice/docker-" ID ".scope/system.slice/nginx.service", "docker/3f2a9c1b77de/nginx.service" },
	{ "/system.slice/docker-0123.scope", "docker-0123.scope" },
	{ "/ecstasks.slice/ecstasks-0a1b.slice/docker-" ID ".scope", "docker/3f2a9c1b77de" },
	{ "/system.slice/nerdctl-" ID ".scope", "nerdctl/3f2a9c1b77de" },
	{ "/system.slice:docker:" ID, "docker/3f2a9c1b77de" },
	/* podman: of root, rootless, in a pod, of a unit (quadlet), its monitor */
	{ "/machine.slice/libpod-" ID ".scope/container", "podman/3f2a9c1b77de" },
	{ USER "/user.slice/libpod-" ID ".scope/container", "podman/3f2a9c1b77de" },
	{ "/machine.slice/machine-libpod_pod_" NODE ".slice/libpod-" ID ".scope", "podman/3f2a9c1b77de" },
	{ "/system.slice/web.service/libpod-payload-" ID, "podman/3f2a9c1b77de" },
	{ "/machine.slice/libpod-conmon-" ID ".scope", "libpod-conmon-" ID ".scope" },
	/* Kubernetes: containerd (GKE, EKS), CRI-O (OpenShift), without systemd, static pods, of both drivers at once */
	{ PODS "/cri-containerd-" ID ".scope", "pod/1a2b3c4d/3f2a9c1b77de" },
	{ "/kubepods.slice/kubepods-pod" SUID ".slice/cri-containerd-" ID ".scope", "pod/1a2b3c4d/3f2a9c1b77de" },
	{ PODS "/crio-" ID ".scope/container", "pod/1a2b3c4d/3f2a9c1b77de" },
	{ PODS "/crio-conmon-" ID ".scope", "pod/1a2b3c4d" },
	{ "/system.slice/crio-" ID ".scope", "cri-o/3f2a9c1b77de" },
	{ PODS "/docker-" ID ".scope", "pod/1a2b3c4d/3f2a9c1b77de" },
	{ "/kubepods/besteffort/pod" UID "/" ID, "pod/1a2b3c4d/3f2a9c1b77de" },
	{ "/kubepods/pod" UID, "pod/1a2b3c4d" },
	{ "/kubepods/burstable/pod1a2b3c4d00001111222233334444555a/" ID, "pod/1a2b3c4d/3f2a9c1b77de" },
	{ "/kubepods-burstable-pod" SUID ".slice:cri-containerd:" ID, "pod/1a2b3c4d/3f2a9c1b77de" },
	{ "/system.slice/containerd.service/kubepods-burstable-pod" SUID ".slice:cri-containerd:" ID, "pod/1a2b3c4d/3f2a9c1b77de" },
	{ PODS "/cri-containerd-" ID ".scope/system.slice/b.service", "pod/1a2b3c4d/3f2a9c1b77de/b.service" },
	{ "/kubepods.slice", "/kubepods.slice" },
	{ "/podcast/abc", "/podcast/abc" },
	/* kind, minikube, k3d, docker in docker: what is in the container of a node */
	{ "/system.slice/docker-" NODE ".scope" KIND "/cri-containerd-" ID ".scope", "pod/1a2b3c4d/3f2a9c1b77de" },
	{ "/system.slice/docker-" NODE ".scope" KIND, "pod/1a2b3c4d" },
	{ "/system.slice/docker-" NODE ".scope/kubelet.slice/kubelet.service", "docker/aaaabbbbcccc/kubelet.service" },
	{ "/docker/" NODE "/kubelet/kubepods/burstable/pod" UID "/" ID, "pod/1a2b3c4d/3f2a9c1b77de" },
	{ "/system.slice/docker-" NODE ".scope" PODS "/docker-" ID ".scope", "pod/1a2b3c4d/3f2a9c1b77de" },
	{ USER "/user.slice/libpod-" NODE ".scope/container" PODS "/cri-containerd-" ID ".scope", "pod/1a2b3c4d/3f2a9c1b77de" },
	{ "/system.slice/docker-" NODE ".scope/docker/" ID, "docker/3f2a9c1b77de" },
	{ "/system.slice/docker-" NODE ".scope/init", "docker/aaaabbbbcccc" },
	{ "/kubepods/besteffort/pod" UID "/" NODE "/docker/" ID, "pod/1a2b3c4d/3f2a9c1b77de" },
	/* LXC, LXD and Incus, Proxmox; docker in one */
	{ "/lxc.payload.web1/system.slice/mysql.service", "lxc/web1/mysql.service" },
	{ "/lxc.payload.web1", "lxc/web1" },
	{ "/lxc.monitor.web1", "/lxc.monitor.web1" },
	{ "/lxc/101/ns/system.slice/x.service", "lxc/101/x.service" },
	{ "/lxc/101/ns/init.scope", "lxc/101/init.scope" },
	{ "/lxc/101/ns/user.slice/user-0.slice/session-1.scope", "lxc/101/session-1.scope" },
	{ "/lxc/101/ns/lxc/102/ns", "lxc/102" },
	{ "/lxc/101/ns/system.slice/docker-" ID ".scope", "docker/3f2a9c1b77de" },
	{ "/qemu.slice/100.scope", "100.scope" },
	/* nspawn; libvirt; nomad */
	{ "/machine.slice/systemd-nspawn@web.service/payload/system.slice/nginx.service", "nspawn/web/nginx.service" },
	{ "/machine.slice/systemd-nspawn@web.service/payload", "nspawn/web" },
	{ "/machine.slice/systemd-nspawn@web.service/supervisor", "systemd-nspawn@web.service/supervisor" },
	{ "/machine.slice/machine-web.scope/payload/init.scope", "nspawn/web/init.scope" },
	{ "/machine.slice/machine-qemu\\x2d1\\x2dvm1.scope/libvirt/emulator", "machine-qemu\\x2d1\\x2dvm1.scope/libvirt/emulator" },
	{ "/nomad.slice/share.slice/5a1b0c2d.redis.scope", "5a1b0c2d.redis.scope" },
};
/* clang-format on */

TEST(names)
{
	char buf[CGROUP_LABEL];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(cgroup_label(names[i].path, buf), names[i].name);
	assert_null(cgroup_label(NULL, buf));
}

/* A name of any length ends in the buffer. */
TEST(long_names)
{
	char path[3000] = "/lxc/", buf[CGROUP_LABEL];

	memset(path + 5, 'a', 255);
	path[260] = '/';
	memset(path + 261, 'b', 2000);
	memcpy(path + 2261, ".service", 9);
	assert_int_equal(strlen(cgroup_label(path, buf)), CGROUP_LABEL - 1);
	path[260] = 'a';
	assert_ptr_equal(cgroup_label(path, buf), path + 5);
}
