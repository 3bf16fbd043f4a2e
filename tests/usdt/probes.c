// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stand-in for SPDK: its probes, with the names, arguments and widths that SPDK v26.09-pre gives
 * them, and those that older releases had. It logs each hit as `nvmetool spdk --json` shows it.
 *
 * usage: probes ROUNDS [quiet]          says ready on stderr, and does what the lines of stdin say:
 *   go      fires all probes ROUNDS times; quiet: logs nothing, fires one probe from round 2
 *   count   prints the semaphore on stderr
 *   exec    runs cat in place of itself
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <unistd.h>

#define LONG_NQN 223 /* bytes that a name may have: NVMe Base 2.1, section 4.7 */

const char *volatile version = "SPDK v25.05 git sha1 0";
static int quiet;

/* Each round has other values. */
struct values {
	char nqn[LONG_NQN + 1], host[64], name[32], address[32], service[8];
	uint64_t thread, pointer, tsc;
	uint32_t nsid, state, old, transport;
	uint16_t qid;
	int32_t refs, status;
};

struct table {
	uint64_t pad[4], entry[8];
	uint32_t small[8];
};

struct table table;
volatile int32_t global = -7;
/* The semaphore of the probe with_semaphore: the kernel counts in it the breakpoints that it sets. */
__attribute__((section(".probes"))) volatile unsigned short semaphore;

static void fill(struct values *v, uint64_t i)
{
	static const uint32_t transports[] = { 1, 2, 3, 254, 256, 1024, 4096, 4097, 77 };

	memset(v, 0, sizeof(*v));
	snprintf(v->nqn, sizeof(v->nqn), "nqn.2016-06.io.spdk:cnode%" PRIu64, i);
	if (i % 3 == 2)
		memset(v->nqn + strlen(v->nqn), 'x', LONG_NQN - strlen(v->nqn));
	snprintf(v->host, sizeof(v->host), "nqn.2014-08.org.nvmexpress:uuid:\"%" PRIu64 "\"", i);
	snprintf(v->name, sizeof(v->name), "Nvme%" PRIu64, i);
	snprintf(v->address, sizeof(v->address), "192.0.2.%" PRIu64, i % 256);
	snprintf(v->service, sizeof(v->service), "%" PRIu64, 4420 + i % 10);
	v->thread = i + (1ULL << 40);
	v->pointer = 0x7f0000001000 + i * 64;
	v->tsc = 1000000 + i;
	v->nsid = i ? 0xfffffffe : 1;
	v->state = i % 12;
	v->old = (i + 1) % 8;
	v->transport = transports[i % 9];
	v->qid = 0xff00 | i % 256;
	v->refs = (int32_t)(i % 5) - 2;
	v->status = i % 2 ? -22 : 0;
	for (unsigned k = 0; k < 8; k++) {
		table.entry[k] = (1ULL << 50) + i + k;
		table.small[k] = 0x80000000 + i + k;
	}
}

/* The name of an argument; the first of a line has a "^" before it. */
static void name_of(const char *name)
{
	printf("%s\"%s\":", *name == '^' ? "" : ",", name + (*name == '^'));
}

static void text(const char *name, const char *value)
{
	name_of(name);
	printf("\"");
	for (; *value; value++)
		printf(*value == '"' ? "\\%c" : "%c", *value);
	printf("\"");
}

/* A probe's first argument is hidden; where it is the time stamp counter, it is logged as tsc. */
#define LOG(probe, ...)                                                                            \
	do {                                                                                       \
		if (quiet)                                                                         \
			break;                                                                     \
		printf("{\"probe\":\"" #probe "\",\"args\":{");                                    \
		__VA_ARGS__;                                                                       \
		printf("}}\n");                                                                    \
	} while (0)

#define S(n, x) text(n, x)
#define U(n, x) (name_of(n), printf("%" PRIu64, (uint64_t)(x)))
#define D(n, x) (name_of(n), printf("%" PRId64, (int64_t)(x)))
#define P(n, x) (name_of(n), printf("\"0x%" PRIx64 "\"", (uint64_t)(x)))
#define TSC	U("^tsc", v->tsc)

#define ONE(p, l1, a)                                                                              \
	LOG(p, l1);                                                                                \
	STAP_PROBE2(spdk, p, 0, a)
#define TWO(p, l1, l2, a, b)                                                                       \
	LOG(p, l1, l2);                                                                            \
	STAP_PROBE3(spdk, p, 0, a, b)
#define THREE(p, l1, l2, l3, a, b, c)                                                              \
	LOG(p, l1, l2, l3);                                                                        \
	STAP_PROBE4(spdk, p, 0, a, b, c)
#define FOUR(p, l1, l2, l3, l4, a, b, c, d)                                                        \
	LOG(p, l1, l2, l3, l4);                                                                    \
	STAP_PROBE5(spdk, p, 0, a, b, c, d)
#define ONE_T(p, l1, a)                                                                            \
	LOG(p, TSC, l1);                                                                           \
	STAP_PROBE2(spdk, p, v->tsc, a)
#define TWO_T(p, l1, l2, a, b)                                                                     \
	LOG(p, TSC, l1, l2);                                                                       \
	STAP_PROBE3(spdk, p, v->tsc, a, b)
#define THREE_T(p, l1, l2, l3, a, b, c)                                                            \
	LOG(p, TSC, l1, l2, l3);                                                                   \
	STAP_PROBE4(spdk, p, v->tsc, a, b, c)
#define FOUR_T(p, l1, l2, l3, l4, a, b, c, d)                                                      \
	LOG(p, TSC, l1, l2, l3, l4);                                                               \
	STAP_PROBE5(spdk, p, v->tsc, a, b, c, d)

static void bdev(const struct values *v)
{
	THREE(bdev_nvme_create_qpair, S("^name", v->name), U("qid", v->qid), U("thread", v->thread),
	      v->name, v->qid, v->thread);
	ONE(bdev_nvme_ctrlr_delete, S("^name", v->name), v->name);
	TWO(bdev_nvme_ctrlr_release, S("^name", v->name), D("refs", v->refs), v->name, v->refs);
	TWO(bdev_nvme_destruct, S("^name", v->name), U("nsid", v->nsid), v->name, v->nsid);
	ONE(bdev_nvme_ctrlr_reconnect, S("^name", v->name), v->name);
	ONE(bdev_nvme_ctrlr_reconnect_delay, S("^name", v->name), v->name);
	ONE(bdev_nvme_ctrlr_reset, S("^name", v->name), v->name);
}

static void groups(const struct values *v)
{
	ONE_T(nvmf_create_poll_group, U("thread", v->thread), v->thread);
	ONE_T(nvmf_destroy_poll_group, U("thread", v->thread), v->thread);
	ONE_T(nvmf_destroy_poll_group_qpairs, U("thread", v->thread), v->thread);
	THREE(nvmf_pg_change_state, S("^subnqn", v->nqn), U("state", v->state),
	      U("thread", v->thread), v->nqn, v->state, v->thread);
	THREE(nvmf_pg_change_state_done, S("^subnqn", v->nqn), U("state", v->state),
	      U("thread", v->thread), v->nqn, v->state, v->thread);
	TWO_T(nvmf_poll_group_add_qpair, P("qpair", v->pointer), U("thread", v->thread), v->pointer,
	      v->thread);
	TWO_T(nvmf_poll_group_add_subsystem, U("thread", v->thread), S("subnqn", v->nqn), v->thread,
	      v->nqn);
	TWO_T(nvmf_poll_group_drain_qpair, P("qpair", v->pointer), U("thread", v->thread),
	      v->pointer, v->thread);
	TWO_T(nvmf_poll_group_remove_qpair, P("qpair", v->pointer), U("thread", v->thread),
	      v->pointer, v->thread);
	THREE_T(nvmf_poll_group_remove_subsystem, P("group", v->pointer), U("thread", v->thread),
		S("subnqn", v->nqn), v->pointer, v->thread, v->nqn);
	THREE(nvmf_transport_poll_group_add, P("^qpair", v->pointer), U("qid", v->qid),
	      U("thread", v->thread), v->pointer, v->qid, v->thread);
	THREE(nvmf_transport_poll_group_remove, P("^qpair", v->pointer), U("qid", v->qid),
	      U("thread", v->thread), v->pointer, v->qid, v->thread);
	TWO_T(nvmf_transport_poll_group_create, P("transport", v->pointer), U("thread", v->thread),
	      v->pointer, v->thread);
}

static void ctrlrs(const struct values *v)
{
	FOUR_T(nvmf_ctrlr_add_io_qpair, P("ctrlr", v->pointer), P("qpair", v->pointer + 8),
	       U("qid", v->qid), U("thread", v->thread), v->pointer, v->pointer + 8, v->qid,
	       v->thread);
	FOUR_T(nvmf_ctrlr_add_qpair, P("qpair", v->pointer), U("qid", v->qid), S("subnqn", v->nqn),
	       S("hostnqn", v->host), v->pointer, v->qid, v->nqn, v->host);
	THREE_T(nvmf_ctrlr_create, P("ctrlr", v->pointer), S("subnqn", v->nqn),
		U("thread", v->thread), v->pointer, v->nqn, v->thread);
	TWO_T(nvmf_ctrlr_destruct, P("ctrlr", v->pointer), U("thread", v->thread), v->pointer,
	      v->thread);
	TWO_T(nvmf_qpair_disconnect, P("qpair", v->pointer), U("thread", v->thread), v->pointer,
	      v->thread);
	ONE(nvmf_transport_qpair_fini, P("^qpair", v->pointer), v->pointer);
}

static void subsystems(const struct values *v)
{
	THREE(nvmf_subsystem_add_ctrlr, S("^subnqn", v->nqn), P("ctrlr", v->pointer),
	      S("hostnqn", v->host), v->nqn, v->pointer, v->host);
	TWO(nvmf_subsystem_add_host, S("^subnqn", v->nqn), S("hostnqn", v->host), v->nqn, v->host);
	FOUR(nvmf_subsystem_add_listener, S("^subnqn", v->nqn), U("trtype", v->transport),
	     S("traddr", v->address), S("trsvcid", v->service), v->nqn, v->transport, v->address,
	     v->service);
	TWO(nvmf_subsystem_add_ns, S("^subnqn", v->nqn), U("nsid", v->nsid), v->nqn, v->nsid);
	THREE(nvmf_subsystem_change_state, S("^subnqn", v->nqn), U("state", v->state),
	      U("old", v->old), v->nqn, v->state, v->old);
	FOUR(nvmf_subsystem_change_state_done, S("^subnqn", v->nqn), U("state", v->state),
	     U("old", v->old), D("status", v->status), v->nqn, v->state, v->old, v->status);
	ONE(nvmf_subsystem_create, S("^subnqn", v->nqn), v->nqn);
	ONE(nvmf_subsystem_destroy, S("^subnqn", v->nqn), v->nqn);
	THREE(nvmf_subsystem_remove_ctrlr, S("^subnqn", v->nqn), P("ctrlr", v->pointer),
	      S("hostnqn", v->host), v->nqn, v->pointer, v->host);
	TWO(nvmf_subsystem_remove_host, S("^subnqn", v->nqn), S("hostnqn", v->host), v->nqn,
	    v->host);
	FOUR(nvmf_subsystem_remove_listener, S("^subnqn", v->nqn), U("trtype", v->transport),
	     S("traddr", v->address), S("trsvcid", v->service), v->nqn, v->transport, v->address,
	     v->service);
	TWO_T(nvmf_tgt_add_transport, P("transport", v->pointer), S("tgt", v->name), v->pointer,
	      v->name);
	ONE(nvmf_tgt_state, U("^state", v->state), v->state);
	TWO_T(nvmf_tgt_pause_polling, P("tgt", v->pointer), S("name", v->name), v->pointer,
	      v->name);
	TWO_T(nvmf_tgt_resume_polling, P("tgt", v->pointer), S("name", v->name), v->pointer,
	      v->name);
	FOUR(spdk_nvmf_ns_add_host, S("^subnqn", v->nqn), U("nsid", v->nsid), S("hostnqn", v->host),
	     U("flags", v->old), v->nqn, v->nsid, v->host, v->old);
	FOUR(spdk_nvmf_ns_remove_host, S("^subnqn", v->nqn), U("nsid", v->nsid),
	     S("hostnqn", v->host), U("flags", v->old), v->nqn, v->nsid, v->host, v->old);
}

static void threads(const struct values *v)
{
	ONE(dynsched_balance, U("^cores", v->nsid), v->nsid);
	TWO(dynsched_core_info, U("^lcore", v->old), P("info", v->pointer), v->old, v->pointer);
	TWO(dynsched_move, P("^thread_info", v->pointer), U("lcore", v->old), v->pointer, v->old);
	THREE(event_exec, P("^fn", v->pointer), P("arg1", v->thread), P("arg2", v->tsc), v->pointer,
	      v->thread, v->tsc);
	FOUR(interrupt_fd_process, S("^source", v->name), D("fd", v->refs), P("fn", v->pointer),
	     P("arg", v->thread), v->name, v->refs, v->pointer, v->thread);
	TWO(msg_exec, P("^fn", v->pointer), P("arg", v->thread), v->pointer, v->thread);
	TWO(timerfd_exec, P("^fn", v->pointer), P("arg", v->thread), v->pointer, v->thread);
}

/* Shapes of other releases, and a probe that no table has. */
static void others(const struct values *v)
{
	THREE_T(nvmf_ctrlr_destruct, P("ctrlr", v->pointer), S("subnqn", v->nqn),
		U("thread", v->thread), v->pointer, v->nqn, v->thread);
	TWO(nvmf_ns_change, U("^nsid", v->nsid), S("subnqn", v->nqn), v->nsid, v->nqn);
	TWO(bdev_nvme_destroy_qpair, S("^name", v->name), U("qid", v->qid), v->name, v->qid);
	TWO(made_up, U("^arg0", 0), U("arg1", v->thread); D("arg2", v->refs), v->thread, v->refs);
}

/* A probe as <sys/sdt.h> writes it, but the semaphore and the operands are those that are named. */
#define NOTE(name, semaphore, args)                                                                \
	"990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n"                          \
	".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"                \
	"993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte " semaphore "\n"                          \
	".asciz \"spdk\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n994: .balign 4\n.popsection\n"

/*
 * Operands that a compiler seldom chooses: an element of an array by base and index, a variable by
 * its name, a constant. Without optimisation they would be in registers.
 */
static void operands(uint64_t i)
{
	struct table *t = &table;
	uint64_t k = i % 8;

	__asm__ volatile("" : "+r"(t), "+r"(k));
	LOG(by_index, U("^arg0", t->entry[k]), D("arg1", (int32_t)t->small[k]));
	__asm__ volatile(NOTE("by_index", "0", "8@32(%[t],%[k],8) -4@96(%[t],%[k],4)")
			 :
			 : [t] "r"(t), [k] "r"(k), "m"(*t));
	LOG(by_name, D("^arg0", global), D("arg1", -5));
	__asm__ volatile(NOTE("by_name", "0", "-4@global(%%rip) -8@$-5") : : "m"(global));
	if (!semaphore) /* what it takes to fill the arguments is saved while nobody asks for them */
		return;
	LOG(with_semaphore, U("^arg0", k));
	__asm__ volatile(NOTE("with_semaphore", "semaphore", "8@%[k]") : : [k] "r"(k));
}

static void fire(uint64_t rounds)
{
	struct values v;

	for (uint64_t i = 0; i < rounds; i++) {
		fill(&v, i);
		if (!quiet || i == 0) {
			bdev(&v);
			groups(&v);
			ctrlrs(&v);
			subsystems(&v);
			threads(&v);
			others(&v);
			operands(i);
		} else {
			ONE(nvmf_tgt_state, U("^state", v.state), v.state);
		}
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[16];

	quiet = argc > 2;
	fputs("ready\n", stderr);
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "go\n"))
			fire(argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
		else if (!strcmp(line, "count\n"))
			fprintf(stderr, "%u\n", semaphore);
		else if (!strcmp(line, "exec\n"))
			return execlp("cat", "cat", NULL);
	}
	return 0;
}
