"""What each stable code means and what to do about it: plans, configuration, infeasibility, solver and gate.

The texts of reading and validating (SP10xx, SP12xx) stand with their rules; whoever asks for a code hands them in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from schedplan.errors import UsageError


@dataclass(frozen=True, slots=True)
class CodeText:
    """A code, its name in a few words, and whole sentences on what it means and what to do."""

    code: str
    name: str
    text: str


def code_text(code: str, others: Iterable[CodeText] = ()) -> CodeText:
    """Return the text of a code among CODE_TEXTS and `others`, in any case of letters; UsageError, with the nearest, for none."""
    texts = {entry.code: entry for entry in (*CODE_TEXTS, *others)}
    found = texts.get(code.strip().upper())
    if found is not None:
        return found
    near = get_close_matches(code.strip().upper(), texts, n=1)
    raise UsageError(f"there is no code {code!r}", hint=f"Did you mean {near[0]}?" if near else "Codes look like SP1003.")


CODE_TEXTS: tuple[CodeText, ...] = (
    CodeText(
        "SP1018",
        "nothing to forecast",
        "There is no load, and no job that shows a demand: none has begun, none asks for a device or a core, the series that was"
        " asked for is not there, or the log is shorter than one interval. Give load.csv, or jobs that ran with their state, a"
        " start_time or submit_time, and a runtime_minutes or end_time.",
    ),
    CodeText(
        "SP1019",
        "nothing to plan",
        "There is no pending or running job, and no service; jobs that ended are history. Give jobs.csv or services.csv.",
    ),
    CodeText(
        "SP1020",
        "emissions unknown",
        "The goal carbon has a weight, and of no node both its power and the intensity of its region are known, so nothing can be"
        " weighed. Give power_idle_w, power_max_w and region in nodes and the table carbon, whose first value of a region holds"
        " from the start of the horizon or earlier; or set objective.carbon to 0.",
    ),
    CodeText(
        "SP1021",
        "reward for no measure",
        "A table of [[objective.rewards]] names a measure that plans do not have. docs/measures.md lists those that there are.",
    ),
    CodeText(
        "SP1101",
        "stale plan",
        "An input of the plan is no longer what the plan was made from: its content changed, it is gone, or the project file says"
        " something else (its sections check and report aside). The order of rows and the format of a table don't matter. Make the"
        " plan again with `schedplan optimize`, or restore the inputs.",
    ),
    CodeText(
        "SP1110",
        "not a plan",
        "The path is not a result of this kind: there is no such folder, or no plan.json of a plan in it. Name the folder that"
        " `schedplan optimize` wrote, runs/plan unless --out said otherwise.",
    ),
    CodeText(
        "SP1111",
        "changed after it was written",
        "A file of the result is not byte for byte what was written: its checksum is another. It was edited, damaged, or taken from"
        " another result. A plan can't be mended by hand; make it again with `schedplan optimize`.",
    ),
    CodeText(
        "SP1112",
        "another schema version",
        "The result was made by a schedplan whose schema has another major version. Minor versions only add keys and are read;"
        " another major version is refused. Use the schedplan that made it, or make it again.",
    ),
    CodeText(
        "SP1113",
        "malformed result",
        "The checksums hold, but a value is missing or not what it should be, so the file was not written by schedplan as it is."
        " Make the result again.",
    ),
    CodeText(
        "SP1114",
        "inputs not found",
        "The inputs that the plan records, by paths relative to its project, are in no folder above the plan. Name the project's"
        " folder with --data, or put the inputs back.",
    ),
    CodeText(
        "SP1115",
        "a conflict in place of a plan",
        "The folder holds the answer that nothing is feasible, not a plan, so there is nothing to measure. See the conflict with"
        " `schedplan optimize`, relax one of its rules, and plan again.",
    ),
    CodeText(
        "SP1116",
        "a plan with jobs in pieces",
        "The plan runs best-effort jobs in pieces, and a replay runs a job from its start to its end: it can't follow this plan."
        " Plan again without `[rules] best_effort`, or replay under a policy of its own.",
    ),
    CodeText(
        "SP1301",
        "facts of an engine",
        "A file of facts on a scheduling engine is not as it must be: each capability answered once, each answer with its source,"
        " the day it was read, the version it is about and what it rests on. What was not looked up is marked as not verified.",
    ),
    CodeText(
        "SP2001",
        "usage",
        "The command was given words, options or names that it does not take. `schedplan COMMAND --help` shows examples first.",
    ),
    CodeText(
        "SP2002",
        "configuration value",
        "A value of schedplan.toml, of a flag or of a SCHEDPLAN_ variable is not what its key takes."
        " `schedplan config show --origin` prints every value with where it came from.",
    ),
    CodeText(
        "SP2003",
        "unknown key",
        "The configuration has a section or key that there is none of. Unknown keys are refused, because a slip in a name would"
        " otherwise pass for a default. The message names the nearest one.",
    ),
    CodeText("SP2004", "not a project file", "The project file is not valid TOML in UTF-8. The message names the row."),
    CodeText(
        "SP2005",
        "key without effect",
        "The key is known, but nothing acts on it yet, so a plan that seems to respect it would not. Take it out to go on.",
    ),
    CodeText(
        "SP2006",
        "no project file",
        "The project file can't be read. Name another with -C, or make one with `schedplan init`.",
    ),
    CodeText(
        "SP2009",
        "plug-in name claimed twice",
        "Two installed distributions offer a plug-in of one name, or one has the name of a built-in. The message names both;"
        " uninstall one of them.",
    ),
    CodeText(
        "SP2101",
        "can't be written",
        "The result can't be written there: the disk is full, the place is read-only, or a limit on file sizes holds. What stood"
        " there before is untouched, and nothing half-written is left.",
    ),
    CodeText(
        "SP2102",
        "something in the way",
        "Something else stands where the result should go: a symbolic link, a file or folder of another kind, or files of others in"
        " the folder of an earlier result. Choose another place with --out, or replace it with --force. An earlier result of"
        " the same kind is replaced without asking.",
    ),
    CodeText(
        "SP2103",
        "an input in the way",
        "The place for the result is, or holds, a file that is read from. Inputs are never overwritten, not even with --force."
        " Choose another place with --out.",
    ),
    CodeText(
        "SP2201",
        "rule not understood",
        'A rule of [check] does not follow `[stat(]measure[{label="v"}][)] OP number[unit] [warn|deny]`, where OP is one of'
        " < <= == >= > or `in a..b`.",
    ),
    CodeText("SP2202", "unknown measure", "A rule names a measure that there is none of. The message names the nearest one."),
    CodeText("SP2203", "wrong unit", "A rule gives its limit in a unit that the measure can't have, such as hours for a cost."),
    CodeText(
        "SP3101",
        "place",
        "A job stands twice, a name is unknown, or an instant is outside the horizon. Every job is placed once as a whole or left"
        " out as a whole.",
    ),
    CodeText(
        "SP3102",
        "capacity",
        "Work on a node asks for more devices, slices of one device, cores, memory or other resources than the node has then,"
        " or more workers of one row stand there than `max_per_node`. Free devices on several nodes don't add up for a worker that"
        " needs them on one.",
    ),
    CodeText(
        "SP3103",
        "gang",
        "All workers of a job start together in one cluster, on one device model and in one market, or none does; so do all rows"
        " of one `gang`. What it loads it loads on all of its nodes, or all of them hold it. A gang that no such place can hold"
        " needs more nodes or fewer workers.",
    ),
    CodeText(
        "SP3104",
        "topology",
        "All workers stand within one domain of the kind that the job asks for: device group, node, block, rack, zone. A node"
        " without a value for it is in no such domain.",
    ),
    CodeText(
        "SP3105",
        "window",
        "Work starts at or after its release, and its booked slots end by its hard deadline and the end of the horizon. Releases"
        " and durations are rounded up to slots, deadlines down.",
    ),
    CodeText(
        "SP3106",
        "spot",
        "Only jobs with `spot_ok` stand on spot nodes, and services only in the markets they name. A gang on spot is interrupted as"
        " soon as any of its nodes is taken away.",
    ),
    CodeText(
        "SP3107",
        "service",
        "In every slot a service has so many replicas that its latency target and `max_utilization` hold at the demand planned for,"
        " within `min_replicas` and `max_replicas`, spread and held as asked; a replica counts once it has warmed up."
        " `[limits] missed_demand` may price missed demand instead.",
    ),
    CodeText(
        "SP3108",
        "budget",
        "What is paid for nodes in a calendar day of the project's time zone, with the rework expected of what starts in it and the"
        " price of what is borrowed beyond quotas in it, is at most `budget_per_day`.",
    ),
    CodeText(
        "SP3109",
        "supply",
        "Work stands only on nodes that exist, are ready and up: a node that is switched on carries work only after its start-up."
        " Owned and reserved nodes are paid in every slot, others between min_count and max_count.",
    ),
    CodeText("SP3110", "required", "A job with `required = true` is placed; a plan without it is no plan."),
    CodeText("SP3111", "running", "What already runs stays where it runs, from the first slot on, for the rest of its run time."),
    CodeText(
        "SP3112",
        "eligible",
        "A node may hold what stands on it: device model, device memory, size, taints. `schedplan explain PLAN JOB --why-not NODE`"
        " tells which of them forbids a node.",
    ),
    CodeText(
        "SP3113",
        "quota",
        "What counts for a tenant is at most its `max`, and what counts for a cohort at most all that its members are promised."
        " What is kept for a tenant (nominal - lend) counts even while it uses less; what ran already beyond a quota may stay, and"
        " nothing is added to it. Raise the quota, let more be lent, or let jobs wait.",
    ),
    CodeText(
        "SP3114",
        "after",
        "A job starts only when the booked slots of every job in its column `after` are over, and is left out where one of them is."
        " Jobs of the past, and what is no job of the plan, are over. Make room for the earlier job, or let it end sooner.",
    ),
    CodeText(
        "SP3115",
        "slices",
        "A named profile of a device (MIG) holds neighbouring memory slices from one of its legal starts on, the same for its whole"
        " run, and no slice is held twice; so what fits in sum need not fit. `schedplan schema nodes` says which columns tell the"
        " model of a device. Move work to another device, or take a smaller profile.",
    ),
    CodeText(
        "SP3116",
        "min_on_time",
        "A job with a hard deadline stands on spot nodes where it ends in time less surely than `[spot] min_on_time` asks. The"
        " chance is a bound from below, for as many nodes as the job takes, with its checkpoints and restarts. Start it earlier,"
        " write checkpoints, take fewer nodes or nodes that are not spot, or ask for less.",
    ),
    CodeText(
        "SP3117",
        "rules",
        "Work stands on a node that a rule of `[rules] forbid` keeps it off: `kind=training on edge=true` says that nothing"
        " its left side matches stands where its right side matches. What ran there already may stay.",
    ),
    CodeText(
        "SP3118",
        "reserve",
        "With `[limits] reserve` = node, rack or zone, what stands outside any one of them meets every service's demand in every"
        " slot, by replicas that already serve: none has to be started after the loss. A node without a rack or zone is in none, so"
        " it is never lost with one. Jobs are not covered; they restart from their checkpoints.",
    ),
    CodeText(
        "SP3119",
        "pieces",
        "A job that `[rules] best_effort` selects, is preemptible and writes checkpoints may leave its devices and go on later:"
        " whole gangs, one piece after the other, never on spot. Each later piece begins with `restart_minutes`, each but the last"
        " ends with `checkpoint_cost_minutes`; together they do the work, and the last one is no longer than that takes.",
    ),
    CodeText(
        "SP3121",
        "decisions contradict",
        "The tables of the plan and its decisions disagree, or can't be read back as decisions of this problem. It was changed,"
        " or belongs to other inputs.",
    ),
    CodeText(
        "SP3122",
        "placements recomputed",
        "A row of placements says something else than what follows from the decisions: a start, a node, a number of devices, a"
        " market, a cost. Every number is computed again from the inputs; nothing is taken on trust.",
    ),
    CodeText("SP3123", "replicas recomputed", "A row of replicas says something else than what follows from the plan's decisions."),
    CodeText("SP3124", "nodes recomputed", "A row of nodes says something else than what follows from the plan's decisions."),
    CodeText("SP3125", "measures recomputed", "A measure of the plan is not the number that its decisions give, or is missing."),
    CodeText(
        "SP3126",
        "objective and proof recomputed",
        "The terms do not sum to the objective, or bound, gap and status do not fit it: a bound above the objective, a gap that the"
        " two do not give, an optimum that is none.",
    ),
    CodeText("SP3127", "unplaced work recomputed", "The table of unplaced work does not name exactly the jobs that are left out."),
    CodeText("SP3128", "warnings recomputed", "A warning that the plan's own numbers call for is missing."),
    CodeText("SP3129", "baselines recomputed", "A baseline, or a step of the waterfall, is not the number that the inputs give."),
    CodeText(
        "SP3130",
        "outage",
        "Work stands on a node in a slot that an outage of it touches, be it for a minute: an outage counts for whole slots. What"
        " runs there already may stay. Shorten the outage in `outages`, or plan on finer slots.",
    ),
    CodeText(
        "SP3131",
        "pin",
        "A pinned job stands with all its workers on the node or pool of its row in `pins` and starts with the first slot at or"
        " after its `start`; a pinned service has at least its `replicas` there in every slot (from `start` on, if one is given)."
        " A pinned job can't be left out. What runs already is not moved by a pin.",
    ),
    CodeText(
        "SP3132",
        "preempt",
        "With --preempt a running job may be stopped, but only for a job of a higher priority that stands on its nodes while it"
        " would have run. It keeps what its last checkpoint holds and waits for the rest of its run, longer by `restart_minutes`.",
    ),
    CodeText(
        "SP3150",
        "at_most",
        "A plan that was made goal by goal, or as a point of a Pareto front, holds the other goals at values that are written in"
        " it, and its decisions exceed one of them by more than a billionth.",
    ),
    CodeText(
        "SP4001",
        "no plan",
        "The solver found no plan within its limits, and did not prove that there is none. Give it more with --time-limit, or a"
        " smaller problem.",
    ),
    CodeText(
        "SP4002",
        "not proven optimal",
        "There is a plan, but with --require-optimal it would have to be proven the best. Its gap tells how far from proven it is.",
    ),
    CodeText(
        "SP4003",
        "solvers contradict",
        "That there is no plan is said only where two solvers agree. Here one of them found rules without a solution, and the other"
        " has one: a fault of a solver, so nothing is claimed. Another `--seed` may avoid it; please report it.",
    ),
    CodeText("SP5001", "rule broken", "A rule of [check] does not hold: the measure is on the wrong side of its limit."),
    CodeText(
        "SP5002",
        "measure without a value",
        "A rule is about a measure that has no value here, such as the latency of a service without a steady state. That is never"
        " counted as passed.",
    ),
    CodeText(
        "SP5003", "no such label", "A rule narrows a measure to labels, such as a pool or service, that the plan does not have."
    ),
    CodeText("SP5004", "no baseline", "A rule with delta() or delta%() compares with another plan. Name it with --baseline."),
    CodeText(
        "SP5005", "another currency", "A rule gives its limit in a currency other than the project's. Amounts are not converted."
    ),
    CodeText(
        "SP5006",
        "job does not fit",
        "`check --job FILE --snapshot DIR`: beside what runs in the snapshot the job has no place within the horizon. The message"
        " names the rule that keeps it out first, its numbers, and a change that would let it in.",
    ),
    CodeText(
        "SP5007",
        "no plan is possible",
        "The inputs exclude every plan, so there is nothing to hold rules against. The message names the rules that exclude one"
        " another and the cheapest change of those that were tried and work.",
    ),
    CodeText(
        "SP5008",
        "old snapshot",
        "The snapshot that a job was held against is older than --max-age allows; what runs now may be something else.",
    ),
    CodeText(
        "SP9001",
        "our fault",
        "Something went wrong that should not be able to: a fault of schedplan, not of your data. Please report it with the command"
        " and, if you may, with the inputs; -vv shows the traceback.",
    ),
    CodeText(
        "SP9130",
        "interrupted",
        "The run was interrupted from the keyboard. What stood at the place of the result is untouched. Where `optimize` had a plan"
        " that keeps the rules, it is kept beside that place, in a folder whose name ends in .interrupted.",
    ),
    CodeText(
        "SP9143",
        "terminated",
        "The run was asked to end. What stood at the place of the result is untouched; a plan that `optimize` had found is kept as"
        " it is for SP9130.",
    ),
)
