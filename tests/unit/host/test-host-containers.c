// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of containers, in trees as each runtime makes them. */
#include "check.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "ctprof/base/strbuf.h"
#include "host/host-read.h"
#include "temp-tree.h"

#define ID_A "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"
#define ID_B "b000000000000000000000000000000000000000000000000000000000000000"
#define ID_C "c000000000000000000000000000000000000000000000000000000000000000"
#define DOCKER "var/lib/docker/containers/"
#define TASKS "run/containerd/io.containerd.runtime.v2.task/"
#define STORAGE "var/lib/containers/storage/overlay-containers/"

static struct host read_names(const struct temp_tree *tree)
{
	struct host host = {.seen = {false}};

	host_read_containers(tree->fd, &host);
	return host;
}

static void check_name(const struct host *host, const char *id, const char *name)
{
	const char *got = host_map_get(host, HOST_containers, id);

	if (!name)
		assert_null(got);
	else
		assert_string_equal(got, name);
}

static void test_docker(void **state)
{
	struct temp_tree *tree = *state;
	struct host host;

	temp_tree_write_text(
	        tree, DOCKER ID_A "/config.v2.json",
	        "{\"StreamConfig\":{},\"State\":{\"Running\":true,\"Paused\":false},\"ID\":\"" ID_A
	        "\",\"Name\":\"/web-1\",\"Driver\":\"overlay2\"}");
	/* Its directory stays until somebody removes the container. */
	temp_tree_write_text(tree, DOCKER ID_B "/config.v2.json",
	                     "{\"State\":{\"Running\":false},\"Name\":\"/stopped\"}");
	temp_tree_write_text(tree, DOCKER ID_C "/hostconfig.json", "{\"Name\":\"/other\"}");
	temp_tree_write_text(tree, DOCKER "short/config.v2.json", "{\"Name\":\"/short\"}");
	host = read_names(tree);
	assert_int_equal(host.maps[HOST_containers].count, 1);
	check_name(&host, ID_A, "web-1");
	host_done(&host);
}

static void test_containerd(void **state)
{
	struct temp_tree *tree = *state;
	struct host host;

	temp_tree_write_text(tree, TASKS "k8s.io/" ID_A "/config.json",
	                     "{\"ociVersion\":\"1.1.0\",\"annotations\":{"
	                     "\"io.kubernetes.cri.container-name\":\"nginx\","
	                     "\"io.kubernetes.cri.container-type\":\"container\","
	                     "\"io.kubernetes.cri.sandbox-name\":\"web-7d9\","
	                     "\"io.kubernetes.cri.sandbox-namespace\":\"default\"}}");
	temp_tree_write_text(tree, TASKS "k8s.io/" ID_B "/config.json",
	                     "{\"annotations\":{\"io.kubernetes.cri.container-type\":\"sandbox\","
	                     "\"io.kubernetes.cri.sandbox-name\":\"web-7d9\","
	                     "\"io.kubernetes.cri.sandbox-namespace\":\"default\"}}");
	temp_tree_write_text(
	        tree, TASKS "default/" ID_C "/config.json",
	        "{\"annotations\":{\"nerdctl/name\":\"cache\",\"nerdctl/namespace\":\"default\"}}");
	host = read_names(tree);
	assert_int_equal(host.maps[HOST_containers].count, 3);
	check_name(&host, ID_A, "default/web-7d9/nginx");
	check_name(&host, ID_B, "default/web-7d9");
	check_name(&host, ID_C, "cache");
	host_done(&host);
}

/* Docker's containers are in its own namespace of containerd as well, and named by Docker. */
static void test_moby(void **state)
{
	struct temp_tree *tree = *state;
	struct host host;

	temp_tree_write_text(tree, TASKS "moby/" ID_A "/config.json",
	                     "{\"annotations\":{\"nerdctl/name\":\"not this\"}}");
	temp_tree_write_text(tree, DOCKER ID_A "/config.v2.json",
	                     "{\"State\":{\"Running\":true},\"Name\":\"/db\"}");
	host = read_names(tree);
	check_name(&host, ID_A, "db");
	host_done(&host);
}

static void test_storage(void **state)
{
	struct temp_tree *tree = *state;
	struct host host;

	temp_tree_write_text(
	        tree, STORAGE "containers.json",
	        "[{\"id\":\"" ID_A "\",\"names\":[\"pg\"],\"image\":\"x\",\"layer\":\"y\","
	        "\"metadata\":\"{\\\"name\\\":\\\"pg\\\"}\",\"created\":\"2026-01-01T00:00:00Z\"},"
	        "{\"id\":\"" ID_B "\",\"names\":[\"k8s_app_pod_ns_uid_0\"]},"
	        "{\"id\":\"" ID_C "\",\"names\":[]},{\"id\":7,\"names\":[\"x\"]},3]");
	temp_tree_write_text(tree, STORAGE "volatile-containers.json",
	                     "[{\"id\":\"" ID_C "\",\"names\":[\"once\"]}]");
	host = read_names(tree);
	assert_int_equal(host.maps[HOST_containers].count, 3);
	check_name(&host, ID_A, "pg");
	check_name(&host, ID_B, "k8s_app_pod_ns_uid_0");
	check_name(&host, ID_C, "once");
	host_done(&host);
}

/* Cgroups of machines have their names, with systemd's escapes where a name has other characters. */
static void test_machines(void **state)
{
	struct temp_tree *tree = *state;
	struct host host;

	temp_tree_write_text(tree, "run/systemd/machines/a-b",
	                     "# This is private data. Do not parse.\nNAME=a-b\n"
	                     "SCOPE=machine-a\\\\x2db.scope\nSERVICE=systemd-nspawn\n");
	temp_tree_write_text(tree, "run/systemd/machines/c-d",
	                     "NAME=c-d\nSCOPE=systemd-nspawn@c-d\\\\x2d.service\n");
	temp_tree_write_text(tree, "run/systemd/machines/plain", "SCOPE=machine-plain.scope\n");
	temp_tree_write_text(tree, "run/systemd/machines/unit:machine-x.scope",
	                     "SCOPE=machine-y.scope\n");
	temp_tree_write_text(tree, "run/systemd/machines/vm", "SCOPE=vm.slice\nSCOPE=\n");
	host = read_names(tree);
	assert_int_equal(host.maps[HOST_containers].count, 2);
	check_name(&host, "a\\x2db", "a-b");
	check_name(&host, "c-d\\x2d", "c-d");
	host_done(&host);
}

static void write_docker(const struct temp_tree *tree, const char *id, const char *json)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, DOCKER "%s/config.v2.json", id);
	temp_tree_write_text(tree, strbuf_str(&path), json);
}

/* A container without a sound name has its id. */
static void test_senseless(void **state)
{
	static const char *const bad[] = {"",
	                                  "{",
	                                  "[]",
	                                  "{\"Name\":3}",
	                                  "{\"Name\":\"/\"}",
	                                  "{\"Name\":\"/(no container)\"}",
	                                  "{\"Name\":\"/a\\u0000b\"}",
	                                  "{\"Name\":\"/\\ud800\"}",
	                                  "{\"Name\":\"/\xff\"}"};
	struct temp_tree *tree = *state;
	struct host host;
	cleanup_(strbuf_done) struct strbuf long_name = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		write_docker(tree, ID_A, bad[i]);
		host = read_names(tree);
		assert_false(host.seen[HOST_containers]);
		host_done(&host);
	}
	strbuf_add_str(&long_name, "{\"Name\":\"/");
	for (int i = 0; i < 512; i++)
		strbuf_add_char(&long_name, 'x');
	strbuf_add_str(&long_name, "\"}");
	write_docker(tree, ID_A, strbuf_str(&long_name));
	host = read_names(tree);
	assert_int_equal(strlen(host_map_get(&host, HOST_containers, ID_A)), 512);
	host_done(&host);
	long_name.len -= 2;
	strbuf_add_str(&long_name, "x\"}");
	write_docker(tree, ID_A, strbuf_str(&long_name));
	/* A name may have anything that JSON can hold; who prints it escapes it. */
	write_docker(tree, ID_B, "{\"Name\":\"/a\\u001b[31m \\u202eb\"}");
	host = read_names(tree);
	check_name(&host, ID_A, NULL);
	check_name(&host, ID_B,
	           "a\x1b[31m \xe2\x80\xae"
	           "b");
	host_done(&host);
}

/* A file that is no regular file is not opened, and one that is too long is not read. */
static void test_other_files(void **state)
{
	struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *fifo = NULL, *link = NULL;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct host host;

	temp_tree_make_dir(tree, DOCKER ID_A);
	fifo = temp_tree_path(tree, DOCKER ID_A "/config.v2.json");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	strbuf_add_str(&text, "{\"Name\":\"/long\",\"x\":\"");
	for (int i = 0; i < 1 << 20; i++)
		strbuf_add_char(&text, 'x');
	strbuf_add_str(&text, "\"}");
	write_docker(tree, ID_B, strbuf_str(&text));
	/* Links do not lead out of the tree. */
	temp_tree_make_dir(tree, DOCKER ID_C);
	link = temp_tree_path(tree, DOCKER ID_C "/config.v2.json");
	assert_int_equal(symlink("/../../../../../../../../etc/hostname", link), 0);
	host = read_names(tree);
	assert_false(host.seen[HOST_containers]);
	host_done(&host);
}

/* A data directory may be elsewhere: the link that leads to it begins at the root of the tree. */
static void test_moved(void **state)
{
	struct temp_tree *tree = *state;
	struct host host;

	temp_tree_write_text(tree, "data/docker/containers/" ID_A "/config.v2.json",
	                     "{\"Name\":\"/moved\"}");
	temp_tree_make_dir(tree, "var/lib");
	assert_int_equal(symlinkat("/data/docker", tree->fd, "var/lib/docker"), 0);
	host = read_names(tree);
	check_name(&host, ID_A, "moved");
	host_done(&host);
}

/* A second reading adds to the names of the first one, up to the size of a map. */
static void test_added(void **state)
{
	struct temp_tree *tree = *state;
	struct host host;
	size_t count;

	write_docker(tree, ID_A, "{\"Name\":\"/first\"}");
	host = read_names(tree);
	temp_tree_remove(tree, "var/lib/docker/containers");
	write_docker(tree, ID_B, "{\"Name\":\"/second\"}");
	host_read_containers(tree->fd, &host);
	check_name(&host, ID_A, "first");
	check_name(&host, ID_B, "second");
	for (int i = 0; i < 3; i++) {
		cleanup_(strbuf_done) struct strbuf list = STRBUF_INIT;

		strbuf_add_char(&list, '[');
		for (int k = 0; k < 1000; k++)
			strbuf_addf(&list, "%s{\"id\":\"%064x\",\"names\":[\"%0200d\"]}",
			            k > 0 ? "," : "", i * 1000 + k, k);
		strbuf_add_char(&list, ']');
		temp_tree_write_text(tree, STORAGE "containers.json", strbuf_str(&list));
		host_read_containers(tree->fd, &host);
		if (i == 0)
			count = host.maps[HOST_containers].count;
	}
	/* 192 KiB of names; each has 64 + 200 bytes, two pairs of quotes, a colon and a comma. */
	assert_in_range(count, 700, 192 * 1024 / 269);
	assert_int_equal(host.maps[HOST_containers].count, count);
	host_done(&host);
}

static void test_nothing(void **state)
{
	struct host host = read_names(*state);

	assert_false(host.seen[HOST_containers]);
	host_read_containers(-1, &host);
	assert_false(host.seen[HOST_containers]);
	host_done(&host);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_docker),      in_tree(test_containerd), in_tree(test_moby),
	        in_tree(test_storage),     in_tree(test_machines),   in_tree(test_senseless),
	        in_tree(test_other_files), in_tree(test_added),      in_tree(test_nothing),
	        in_tree(test_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
