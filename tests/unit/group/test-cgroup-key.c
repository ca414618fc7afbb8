// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include "group/cgroup-key.h"
#include "random.h"

static void check_pattern(const char *path, const char *expected)
{
	struct strbuf scratch = STRBUF_INIT;
	struct strbuf pattern = STRBUF_INIT, again = STRBUF_INIT;
	char *copy = exact_copy(path, strlen(path));

	strbuf_add_str(&pattern, "before ");
	cgroup_normalise(copy, strlen(path), &pattern, &scratch);
	assert_string_equal(pattern.data + strlen("before "), expected);
	cgroup_normalise(expected, strlen(expected), &again, &scratch);
	assert_text(&again, expected);
	strbuf_done(&pattern);
	strbuf_done(&scratch);
	strbuf_done(&again);
	free(copy);
}

static void test_normalise(void **state)
{
	static const char *const cases[][2] = {
	        {"", ""},
	        {"/", "/"},
	        {"/system.slice/ssh.service", "/system.slice/ssh.service"},
	        {"/system.slice/system-getty.slice/getty@tty1.service",
	         "/system.slice/system-getty.slice/getty@{I}.service"},
	        {"/user.slice/user-1000.slice/user@1000.service/app.slice/dbus.service",
	         "/user.slice/user-{N}.slice/user@{I}.service/app.slice/dbus.service"},
	        {"/user.slice/user-1000.slice/session-12.scope",
	         "/user.slice/user-{N}.slice/session-{N}.scope"},
	        {"/system.slice/docker-7f3a9b0c.scope", "/system.slice/docker-{H}.scope"},
	        /* A UUID is one id, whichever of its digits are letters. */
	        {"/kubepods.slice/kubepods-pod69f98334_ab12_4000_8123_fceeabcdefab.slice",
	         "/kubepods.slice/kubepods-pod{H}.slice"},
	        {"/kubepods/besteffort/pod69f98334-ab12-4000-8123-fceeabcdefab/c",
	         "/kubepods/besteffort/pod{H}/c"},
	        {"/run-69f98334-ab12-4000-8123-fceeabcdefab.scope", "/run-{H}.scope"},
	        {"/abcdabcd-abcd-abcd-abcd-abcdabcdabcd", "/{H}"},
	        {"/system.slice/run-r0123456789abcdef0123456789abcdef.scope",
	         "/system.slice/run-r{H}.scope"},
	        {"/kubepods/pod0123456789abcdef0123456789abcdef", "/kubepods/pod{H}"},
	        {"/kubepods/pod0123456789abcdef0123456789abcdefa",
	         "/kubepods/pod0123456789abcdef0123456789abcdefa"},
	        {"/xabcdabcd-abcd-abcd-abcd-abcdabcdabcd",
	         "/xabcdabcd-abcd-abcd-abcd-abcdabcdabcd"},
	        {"/abcdabcd-abcd-abcd-abcd-abcdabcdabcda",
	         "/abcdabcd-abcd-abcd-abcd-abcdabcdabcda"},
	        {"/abcdabcd-abcd_abcd-abcd-abcdabcdabcd", "/abcdabcd-abcd_abcd-abcd-abcdabcdabcd"},
	        {"/abcdabcd-abcd-abcd-abcd-abcdabcdabc", "/abcdabcd-abcd-abcd-abcd-abcdabcdabc"},
	        /* Names that are no instance, or one without a number. */
	        {"/getty@.service", "/getty@.service"},
	        {"/@x.service", "/@x.service"},
	        {"/a@b.c.service", "/a@b.c.service"},
	        {"/a@b-c.service", "/a@b-c.service"},
	        {"/a@b_c.service", "/a@b_c.service"},
	        {"/a@b.socket", "/a@b.socket"},
	        {"/a@b.service2", "/a@b.service{N}"},
	        {"/a@b", "/a@b"},
	        {"a@b.service", "a@{I}.service"},
	        {"/a@b@c.service", "/a@{I}.service"},
	        {"/a@@.service", "/a@{I}.service"},
	        {"/a@b:c+d[e].service", "/a@{I}.service"},
	        {"/a@b\\x2dc.service", "/a@{I}.service"},
	        {"/a@b.service/c@d.service/", "/a@{I}.service/c@{I}.service/"},
	        {"/a@b/c.service", "/a@b/c.service"},
	        {"//a@b.service//", "//a@{I}.service//"},
	        {"/w1@2.service", "/w{N}@{I}.service"},
	        {"/a@\xff\xe2.service", "/a@{I}.service"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_pattern(cases[i][0], cases[i][1]);
}

static void test_normalise_nul(void **state)
{
	struct strbuf scratch = STRBUF_INIT;
	struct strbuf pattern = STRBUF_INIT;

	(void)state;
	cgroup_normalise("/a@\0.service/\0-1", 16, &pattern, &scratch);
	assert_int_equal(pattern.len, 20);
	assert_memory_equal(pattern.data, "/a@{I}.service/\0-{N}", 20);
	strbuf_clear(&pattern);
	cgroup_normalise(NULL, 0, &pattern, &scratch);
	assert_int_equal(pattern.len, 0);
	strbuf_done(&pattern);
	strbuf_done(&scratch);
}

static size_t random_path(struct random *random, char *path, size_t size)
{
	static const char *const pieces[] = {
	        "/",           "/",        "@",
	        ".service",    ".scope",   ".slice",
	        "a",           "b7",       "12",
	        "-",           "_",        ":",
	        "docker-",     "pod",      "lxc/",
	        "machine-",    "\xc2\x85", "\xff",
	        "libpod_pod_", "docker:",  "0123456789abcdef0123456789abcdef",
	};
	size_t len = 0, wanted = random_below(random, 12);

	for (size_t i = 0; i < wanted; i++) {
		const char *piece = pieces[random_below(random, ARRAY_SIZE(pieces))];
		char byte = (char)random_next(random);
		size_t piece_len = random_chance(random, 10) ? 1 : strlen(piece);

		if (len + piece_len > size)
			break;
		memcpy(path + len, piece_len == 1 && random_chance(random, 30) ? &byte : piece,
		       piece_len);
		len += piece_len;
	}
	return len;
}

static bool is_equal(const struct strbuf *a, const struct strbuf *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static bool is_part_of(const struct strbuf *part, const char *path, size_t len)
{
	return part->len > 0 && memmem(path, len, part->data, part->len);
}

/* The pattern of a pattern is itself, and a part is a part, whatever the bytes. */
static void test_any_path(void **state)
{
	enum { SEED = 21, ROUNDS = 60000, BYTES = 200 };
	struct strbuf scratch = STRBUF_INIT;
	struct strbuf pattern = STRBUF_INIT, again = STRBUF_INIT;
	unsigned parts = 0;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct random random = random_start(SEED, round);
		char bytes[BYTES];
		size_t len = random_path(&random, bytes, BYTES);
		char *path = exact_copy(bytes, len);

		strbuf_clear(&pattern);
		strbuf_clear(&again);
		cgroup_normalise(path, len, &pattern, &scratch);
		cgroup_normalise(pattern.data, pattern.len, &again, &scratch);
		check_random(&random, is_equal(&pattern, &again));
		for (unsigned part = 0; part <= CGROUP_PART_SLICE; part++) {
			strbuf_clear(&again);
			if (cgroup_part_of((enum cgroup_part)part, path, len, &again)) {
				parts++;
				check_random(&random, part == CGROUP_PART_POD ||
				                              is_part_of(&again, path, len));
				check_random(&random,
				             again.len > 0 && !memchr(again.data, '/', again.len));
			} else {
				check_random(&random, again.len == 0);
			}
		}
		free(path);
	}
	assert_in_range(parts, ROUNDS / 10, ROUNDS * 4);
	strbuf_done(&pattern);
	strbuf_done(&scratch);
	strbuf_done(&again);
}

static void test_flatten(void **state)
{
	static const char *const globs[] = {"/a/*", "/a/**", "/b"};
	struct strbuf key = STRBUF_INIT;

	(void)state;
	assert_true(cgroup_flatten(globs, 3, "/a/x", 4, &key));
	assert_text(&key, "/a/*");
	assert_true(cgroup_flatten(globs, 3, "/a/x/y", 6, &key));
	assert_text(&key, "/a/*/a/**");
	strbuf_clear(&key);
	assert_true(cgroup_flatten(globs, 3, "/bc", 2, &key));
	assert_text(&key, "/b");
	assert_false(cgroup_flatten(globs, 3, "/c", 2, &key));
	assert_false(cgroup_flatten(globs, 2, "/b", 2, &key));
	assert_false(cgroup_flatten(NULL, 0, "/b", 2, &key));
	assert_text(&key, "/b");
	strbuf_done(&key);
}

#define ID "4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970"
#define ID2 "9ec39b91f3d70e1beff50a308f77067065ea6be0d91a3378375056cd4422cf3d"
#define UID "5759a1ae-36ca-48a8-b20a-b0b5c8a90fb8"
#define UID_ "5759a1ae_36ca_48a8_b20a_b0b5c8a90fb8"
#define STATIC "36b6d6be73b1065af369b3985edafa09"
#define POD_SLICE "kubepods-burstable-pod" UID_ ".slice"
#define KUBE "/kubepods.slice/kubepods-burstable.slice/" POD_SLICE

struct part_case {
	const char *path;
	const char *service, *container, *pod, *slice; /* NULL: none */
};

static const struct part_case real_paths[] = {
        /* systemd. */
        {"/", NULL, NULL, NULL, NULL},
        {"/init.scope", "init.scope", NULL, NULL, NULL},
        {"/system.slice", NULL, NULL, NULL, "system.slice"},
        {"/system.slice/ssh.service", "ssh.service", NULL, NULL, "system.slice"},
        {"/system.slice/ssh.service (deleted)", "ssh.service", NULL, NULL, "system.slice"},
        {"/system.slice/docker-" ID2 ".scope (deleted)", "docker-" ID2 ".scope", ID2, NULL,
         "system.slice"},
        {"/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service", NULL, NULL,
         "system-getty.slice"},
        {"/system.slice/systemd-udevd.service/udev", "systemd-udevd.service", NULL, NULL,
         "system.slice"},
        {"/system.slice/dbus.socket", "dbus.socket", NULL, NULL, "system.slice"},
        {"/system.slice/boot-efi.mount", "boot-efi.mount", NULL, NULL, "system.slice"},
        {"/system.slice/dev-sda2.swap", "dev-sda2.swap", NULL, NULL, "system.slice"},
        {"/user.slice/user-1000.slice/session-2.scope", "session-2.scope", NULL, NULL,
         "user-1000.slice"},
        {"/user.slice/user-1000.slice/user@1000.service/init.scope", "init.scope", NULL, NULL,
         "user-1000.slice"},
        {"/user.slice/user-1000.slice/user@1000.service/app.slice/"
         "vte-spawn-f22f14d2-3d44-4304-9879-3fdd0df7b08e.scope",
         "vte-spawn-f22f14d2-3d44-4304-9879-3fdd0df7b08e.scope", NULL, NULL, "app.slice"},
        {"/user.slice/user-1000.slice/user@1000.service/user.slice/podman-6696.scope",
         "podman-6696.scope", NULL, NULL, "user.slice"},
        {"/system.slice/var-lib-docker-containers-" ID "-mounts-shm.mount",
         "var-lib-docker-containers-" ID "-mounts-shm.mount", NULL, NULL, "system.slice"},
        /* Docker. */
        {"/docker/" ID, NULL, ID, NULL, NULL},
        {"/" ID, NULL, ID, NULL, NULL},
        {"/docker-ce/docker/" ID, NULL, ID, NULL, NULL},
        {"/docker/buildx/" ID, NULL, ID, NULL, NULL},
        {"/actions_job/" ID, NULL, ID, NULL, NULL},
        {"/system.slice/docker-" ID ".scope", "docker-" ID ".scope", ID, NULL, "system.slice"},
        {"/system.slice/docker-" ID ".scope/init.scope", "init.scope", ID, NULL, "system.slice"},
        {"/system.slice/docker-" ID ".scope/system.slice/cron.service", "cron.service", ID, NULL,
         "system.slice"},
        {"/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" ID ".scope",
         "docker-" ID ".scope", ID, NULL, "user.slice"},
        {"/system.slice:docker:" ID, NULL, ID, NULL, NULL},
        {"/docker/" ID "/docker/" ID2, NULL, ID2, NULL, NULL},
        {"/system.slice/docker.service", "docker.service", NULL, NULL, "system.slice"},
        {"/system.slice/containerd.service", "containerd.service", NULL, NULL, "system.slice"},
        /* BuildKit. */
        {"/buildkit/5cf82fwiumld3vcs5d5l5pzyv", NULL, "5cf82fwiumld3vcs5d5l5pzyv", NULL, NULL},
        {"/docker/buildkit/5cf82fwiumld3vcs5d5l5pzyv", NULL, "5cf82fwiumld3vcs5d5l5pzyv", NULL,
         NULL},
        {"/docker/" ID "/buildkit/5cf82fwiumld3vcs5d5l5pzyv", NULL, "5cf82fwiumld3vcs5d5l5pzyv",
         NULL, NULL},
        {"/system.slice:docker:5cf82fwiumld3vcs5d5l5pzyv", NULL, "5cf82fwiumld3vcs5d5l5pzyv", NULL,
         NULL},
        {"/buildkit/" ID, NULL, ID, NULL, NULL},
        /* containerd by itself. */
        {"/system.slice/nerdctl-" ID ".scope", "nerdctl-" ID ".scope", ID, NULL, "system.slice"},
        {"/default/" ID, NULL, ID, NULL, NULL},
        /* Kubernetes: systemd. */
        {KUBE "/cri-containerd-" ID ".scope", "cri-containerd-" ID ".scope", ID, UID, POD_SLICE},
        {KUBE "/crio-" ID ".scope", "crio-" ID ".scope", ID, UID, POD_SLICE},
        {KUBE "/crio-" ID ".scope/container", "crio-" ID ".scope", ID, UID, POD_SLICE},
        {KUBE "/crio-conmon-" ID ".scope", "crio-conmon-" ID ".scope", NULL, UID, POD_SLICE},
        {KUBE "/docker-" ID ".scope", "docker-" ID ".scope", ID, UID, POD_SLICE},
        {KUBE, NULL, NULL, UID, POD_SLICE},
        {"/kubepods.slice/kubepods-pod" UID_ ".slice/cri-containerd-" ID ".scope",
         "cri-containerd-" ID ".scope", ID, UID, "kubepods-pod" UID_ ".slice"},
        {"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" STATIC ".slice/crio-" ID
         ".scope",
         "crio-" ID ".scope", ID, STATIC, "kubepods-burstable-pod" STATIC ".slice"},
        {"/docker/" ID2 "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/"
         "kubelet-kubepods-besteffort-pod" UID_ ".slice/cri-containerd-" ID ".scope",
         "cri-containerd-" ID ".scope", ID, UID, "kubelet-kubepods-besteffort-pod" UID_ ".slice"},
        {"/../cri-containerd-" ID ".scope", "cri-containerd-" ID ".scope", ID, NULL, NULL},
        /* Kubernetes: cgroupfs. */
        {"/kubepods/burstable/pod" UID "/" ID, NULL, ID, UID, NULL},
        {"/kubepods/pod" UID "/" ID, NULL, ID, UID, NULL},
        {"/kubepods/kubepods/besteffort/pod" UID "/" ID, NULL, ID, UID, NULL},
        {"/kubepods/burstable/pod" UID "/crio-" ID, NULL, ID, UID, NULL},
        {"/kubepods/burstable/pod" UID "/crio-conmon-" ID, NULL, NULL, UID, NULL},
        {"/kubepods/burstable/pod" UID, NULL, NULL, UID, NULL},
        {"/kubepods/burstable/pod" STATIC "/" ID, NULL, ID, STATIC, NULL},
        {"/kubepods/burstable/pod" UID "/" ID "/kubepods", NULL, ID, UID, NULL},
        {"/system.slice/containerd.service/kubepods-burstable-pod" STATIC
         ".slice:cri-containerd:" ID,
         "containerd.service", ID, STATIC, "system.slice"},
        {"/kubepods-besteffort-pod" UID_ ".slice:cri-containerd:" ID, NULL, ID, UID, NULL},
        {"/kubepods/besteffort", NULL, NULL, NULL, NULL},
        /* Podman. */
        {"/machine.slice/libpod-" ID ".scope/container", "libpod-" ID ".scope", ID, NULL,
         "machine.slice"},
        {"/machine.slice/libpod-conmon-" ID ".scope", "libpod-conmon-" ID ".scope", NULL, NULL,
         "machine.slice"},
        {"/machine.slice/machine-libpod_pod_" ID2 ".slice/libpod-" ID ".scope",
         "libpod-" ID ".scope", ID, ID2, "machine-libpod_pod_" ID2 ".slice"},
        {"/user.slice/user-1000.slice/user@1000.service/user.slice/user-libpod_pod_" ID2
         ".slice/libpod-" ID ".scope/container",
         "libpod-" ID ".scope", ID, ID2, "user-libpod_pod_" ID2 ".slice"},
        {"/libpod_pod_" ID2 "/libpod-" ID, NULL, ID, ID2, NULL},
        {"/libpod_pod_" ID2 ".slice", NULL, NULL, ID2, "libpod_pod_" ID2 ".slice"},
        {"/libpod_parent/libpod-" ID, NULL, ID, NULL, NULL},
        {"/libpod_parent/libpod-" ID "/system.slice/docker-" ID2 ".scope", "docker-" ID2 ".scope",
         ID2, NULL, "system.slice"},
        {"/libpod_parent/" ID2 "/libpod-" ID, NULL, ID, ID2, NULL},
        {"/libpod_parent/" ID2 "/conmon", NULL, NULL, ID2, NULL},
        {"/libpod_parent/conmon", NULL, NULL, NULL, NULL},
        {"/system.slice/web.service/libpod-payload-" ID, "web.service", ID, NULL, "system.slice"},
        /* ECS. */
        {"/ecs/55091c13-b8cf-4801-b527-f4601742204d/" ID, NULL, ID, NULL, NULL},
        {"/ecs/" STATIC "/" STATIC "-1234567890", NULL, STATIC "-1234567890", NULL, NULL},
        {"/ecstasks.slice/ecstasks-" STATIC ".slice/docker-" ID ".scope", "docker-" ID ".scope", ID,
         NULL, "ecstasks-" STATIC ".slice"},
        {"/ecs/48cb34f5-cd39-4d59-9bb9-89f3c1611afd", NULL, NULL, NULL, NULL},
        /* Garden. */
        {"/system.slice/garden.service/garden/good/2f57368b-0eda-4e52-64d8-af5c", "garden.service",
         "2f57368b-0eda-4e52-64d8-af5c", NULL, "system.slice"},
        {"/garden/2f57368b-0eda-4e52-64d8-af5c", NULL, "2f57368b-0eda-4e52-64d8-af5c", NULL, NULL},
        {"/garden/bad/2f57368b-0eda-4e52-64d8-af5c", NULL, "2f57368b-0eda-4e52-64d8-af5c", NULL,
         NULL},
        {"/garden/" ID, NULL, ID, NULL, NULL},
        /* LXC. */
        {"/lxc/web", NULL, "web", NULL, NULL},
        {"/lxc/101/ns/system.slice/ssh.service", "ssh.service", "101", NULL, "system.slice"},
        {"/lxc.payload/web/init.scope", "init.scope", "web", NULL, NULL},
        {"/lxc.payload.focal/system.slice/avahi-daemon.service", "avahi-daemon.service", "focal",
         NULL, "system.slice"},
        {"/lxc.payload.a.b", NULL, "a.b", NULL, NULL},
        {"/lxc.payload.c1/lxc.payload.c2/init.scope", "init.scope", "c2", NULL, NULL},
        {"/lxc.payload.c1/lxc.monitor.c2", NULL, "c1", NULL, NULL},
        {"/lxc.monitor/web", NULL, NULL, NULL, NULL},
        {"/lxc.monitor.web", NULL, NULL, NULL, NULL},
        {"/lxc", NULL, NULL, NULL, NULL},
        {"/lxc.payload.c1/system.slice/docker-" ID ".scope", "docker-" ID ".scope", ID, NULL,
         "system.slice"},
        /* systemd-machined. */
        {"/machine.slice/machine-web.scope/payload/system.slice/cron.service", "cron.service",
         "web", NULL, "system.slice"},
        {"/machine.slice/machine-my\\x2dweb.scope/supervisor", "machine-my\\x2dweb.scope",
         "my\\x2dweb", NULL, "machine.slice"},
        {"/machine.slice/systemd-nspawn@web.service/payload/init.scope", "init.scope", "web", NULL,
         "machine.slice"},
        {"/machine.slice/machine-qemu\\x2d1\\x2dvm.scope/libvirt/emulator",
         "machine-qemu\\x2d1\\x2dvm.scope", NULL, NULL, "machine.slice"},
};

/* Nearly, but not. */
static const struct part_case false_paths[] = {
        {"", NULL, NULL, NULL, NULL},
        {"//", NULL, NULL, NULL, NULL},
        {"/.service", NULL, NULL, NULL, NULL},
        {"/.slice", NULL, NULL, NULL, NULL},
        {"/a.scope/.scope", "a.scope", NULL, NULL, NULL},
        {"/a.services", NULL, NULL, NULL, NULL},
        {"/a.timer", NULL, NULL, NULL, NULL},
        {"/a.target", NULL, NULL, NULL, NULL},
        {"/a.slice.d", NULL, NULL, NULL, NULL},
        {"/a.service/b.slice/", "a.service", NULL, NULL, "b.slice"},
        {"/docker/0" ID, NULL, NULL, NULL, NULL},
        {"/docker/4f797c539e6c", NULL, NULL, NULL, NULL},
        {"/docker/4F797C539E6C745DE61A93CA3FF892358ECBCACCD8414D5DB545C38428142970", NULL, NULL,
         NULL, NULL},
        {"/docker/gf797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970", NULL, NULL,
         NULL, NULL},
        {"/docker-" ID ".service", "docker-" ID ".service", NULL, NULL, NULL},
        {"/docker" ID, NULL, NULL, NULL, NULL},
        {"/xdocker-" ID ".scope", "xdocker-" ID ".scope", NULL, NULL, NULL},
        {"/other-" ID ".scope", "other-" ID ".scope", NULL, NULL, NULL},
        {"/docker-" ID "-x.scope", "docker-" ID "-x.scope", NULL, NULL, NULL},
        {":docker:" ID, NULL, NULL, NULL, NULL},
        {"/a:other:" ID, NULL, NULL, NULL, NULL},
        {"/adocker:" ID, NULL, NULL, NULL, NULL},
        {"/a:docker:" ID ".scope", "a:docker:" ID ".scope", NULL, NULL, NULL},
        {"/other/5cf82fwiumld3vcs5d5l5pzyv", NULL, NULL, NULL, NULL},
        {"/a:crio:5cf82fwiumld3vcs5d5l5pzyv", NULL, NULL, NULL, NULL},
        {"/buildkit/5cf82fwiumld3vcs5d5l5pzy", NULL, NULL, NULL, NULL},
        {"/buildkit/5cf82fwiumld3vcs5d5l5pz-v", NULL, NULL, NULL, NULL},
        {"/ecx/" STATIC "/" STATIC "-12", NULL, NULL, NULL, NULL},
        {"/ecs/" STATIC "-12", NULL, NULL, NULL, NULL},
        {"/ecs/" STATIC "/" STATIC "-", NULL, NULL, NULL, NULL},
        {"/ecs/" STATIC "/" STATIC "-1a", NULL, NULL, NULL, NULL},
        {"/ecs/" STATIC "/" STATIC "_12", NULL, NULL, NULL, NULL},
        {"/ecs/" STATIC "/g6b6d6be73b1065af369b3985edafa09-12", NULL, NULL, NULL, NULL},
        {"/other/2f57368b-0eda-4e52-64d8-af5c", NULL, NULL, NULL, NULL},
        {"/garden/other/2f57368b-0eda-4e52-64d8-af5c", NULL, NULL, NULL, NULL},
        {"/other/good/2f57368b-0eda-4e52-64d8-af5c", NULL, NULL, NULL, NULL},
        {"/garden/2f57368b-0eda-4e52-64d8-af5cd", NULL, NULL, NULL, NULL},
        {"/garden/2f57368b-0eda-4e52-64d8", NULL, NULL, NULL, NULL},
        {"/garden/2f57368b_0eda_4e52_64d8_af5c", NULL, NULL, NULL, NULL},
        {"/lxc.payload.", NULL, NULL, NULL, NULL},
        {"/lxc.payload", NULL, NULL, NULL, NULL},
        {"/machine-.scope", "machine-.scope", NULL, NULL, NULL},
        {"/machine-web.service", "machine-web.service", NULL, NULL, NULL},
        {"/systemd-nspawn@.service", "systemd-nspawn@.service", NULL, NULL, NULL},
        {"/xpod" UID, NULL, NULL, NULL, NULL},
        {"/pod" UID "x", NULL, NULL, NULL, NULL},
        {"/x" UID, NULL, NULL, NULL, NULL},
        {"/pod5759a1ae-36ca-48a8-b20ab0b5c8a90fb8-", NULL, NULL, NULL, NULL},
        {"/pod5759A1AE-36ca-48a8-b20a-b0b5c8a90fb8", NULL, NULL, NULL, NULL},
        {"/podg6b6d6be73b1065af369b3985edafa09", NULL, NULL, NULL, NULL},
        {"/pod", NULL, NULL, NULL, NULL},
        {"/libpod_pod_" STATIC, NULL, NULL, NULL, NULL},
        {"/libpod_pod_gf797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970", NULL, NULL,
         NULL, NULL},
        {"/xlibpod_pod_" ID, NULL, NULL, NULL, NULL},
        {"/x/libpod_parent", NULL, NULL, NULL, NULL},
};

static void check_part(enum cgroup_part part, const char *path, const char *expected)
{
	struct strbuf out = STRBUF_INIT;
	char *copy = exact_copy(path, strlen(path));
	bool found = cgroup_part_of(part, copy, strlen(path), &out);

	if (found != (expected != NULL) || strcmp(strbuf_str(&out), expected ? expected : "") != 0)
		fail_msg("part %d of \"%s\" is \"%s\"", (int)part, path, strbuf_str(&out));
	strbuf_done(&out);
	free(copy);
}

static void check_parts(const struct part_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		check_part(CGROUP_PART_SERVICE, cases[i].path, cases[i].service);
		check_part(CGROUP_PART_CONTAINER, cases[i].path, cases[i].container);
		check_part(CGROUP_PART_POD, cases[i].path, cases[i].pod);
		check_part(CGROUP_PART_SLICE, cases[i].path, cases[i].slice);
	}
}

static void test_parts_of_real_paths(void **state)
{
	(void)state;
	check_parts(real_paths, ARRAY_SIZE(real_paths));
}

static void test_parts_nearly(void **state)
{
	(void)state;
	check_parts(false_paths, ARRAY_SIZE(false_paths));
}

static void test_parts_bytes(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	strbuf_add_str(&out, "x ");
	assert_true(cgroup_part_of(CGROUP_PART_SERVICE, "/a\0b.service/c", 14, &out));
	assert_int_equal(out.len, 2 + 11);
	assert_memory_equal(out.data, "x a\0b.service", 13);
	assert_false(cgroup_part_of(CGROUP_PART_SERVICE, NULL, 0, &out));
	/* The length ends the path, not the string. */
	assert_false(cgroup_part_of(CGROUP_PART_SERVICE, "/a.service", 9, &out));
	assert_int_equal(out.len, 13);
	/* Only in uids are underscores dashes. */
	strbuf_clear(&out);
	assert_true(cgroup_part_of(CGROUP_PART_SERVICE, "/a_b.service", 12, &out));
	assert_text(&out, "a_b.service");
	strbuf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_normalise),
	        cmocka_unit_test(test_normalise_nul),
	        cmocka_unit_test(test_any_path),
	        cmocka_unit_test(test_flatten),
	        cmocka_unit_test(test_parts_of_real_paths),
	        cmocka_unit_test(test_parts_nearly),
	        cmocka_unit_test(test_parts_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
