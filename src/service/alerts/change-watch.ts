/**
 * A change detector as it is kept beside an agent or a monitor. It goes on after an alarm, against the same baseline; when
 * it alarms again over the same worse stretch, the change that was noticed first stays, and grows.
 */
import {
  type ChangeAlarm,
  createDetector,
  type DetectorState,
  observe,
} from '../../core/stats/change-detector.ts';

/** A stretch that begins within so many verdicts after an alarm is the one that raised it. */
const SAME_STRETCH_WITHIN = 20;

export interface Change {
  /** What raised it first. */
  alarm: ChangeAlarm;
  detectedAt: number;
  /** When the first verdict of the worse stretch came, by the best guess. */
  sinceAt: number;
  /** Verdicts from then to when it was last noticed, and how many of them passed. */
  verdicts: number;
  passed: number;
}

export interface ChangeWatch {
  state: DetectorState;
  /** What the org had declared as the baseline when the state was begun. */
  declared: number | null;
  /** When the stretches of `state.starts` began. */
  startTimes: number[];
  /** Verdicts taken in, also before an alarm. */
  total: number;
  change: Change | null;
}

export function beginWatch(state: DetectorState, declared: number | null): ChangeWatch {
  return { state, declared, startTimes: state.starts.map(() => 0), total: 0, change: null };
}

/** Takes in one verdict, in place, and answers with the change when this one raised an alarm. */
export function takeVerdict(
  watch: ChangeWatch,
  { passed, at }: { passed: boolean; at: number },
): Change | null {
  const { state } = watch;
  watch.total++;
  const alarm = observe(state, passed);
  state.starts.forEach((start, i) => {
    if (start === state.seen) watch.startTimes[i] = at;
  });
  if (!alarm) return null;
  watch.change =
    watch.change && alarm.since <= SAME_STRETCH_WITHIN ? grown(watch.change, state) : begun(watch, alarm, at);
  watch.state = createDetector(alarm.baseline);
  return watch.change;
}

function begun({ state, startTimes }: ChangeWatch, alarm: ChangeAlarm, at: number): Change {
  const verdicts = alarm.at - alarm.since + 1;
  return {
    alarm,
    detectedAt: at,
    sinceAt: startTimes[state.starts.indexOf(alarm.since)] ?? at,
    verdicts,
    passed: Math.round(alarm.rateSince * verdicts),
  };
}

function grown(change: Change, { seen, passed }: DetectorState): Change {
  return { ...change, verdicts: change.verdicts + seen, passed: change.passed + passed };
}

export function rateSince({ passed, verdicts }: Change): number {
  return passed / verdicts;
}
