import { findClimb } from './climbing-path.ts';
import { DESTRUCTIVE_COMMANDS } from './destructive-commands.ts';
import { isForkBomb } from './fork-bomb.ts';
import type { Gate } from './gate.ts';
import { type Offence, toFinding } from './offence.ts';
import { SENSITIVE_PATHS } from './sensitive-paths.ts';
import type { Sightings } from './sightings.ts';
import { sightingsOf } from './text.ts';
import { compileRules } from './word-rules.ts';

const findByWord = compileRules({ ...DESTRUCTIVE_COMMANDS, ...SENSITIVE_PATHS });

/** Fails on destructive commands, paths that climb out of their root, and paths to where secrets are kept. */
export function filesystem(): Gate {
  return {
    name: 'filesystem',
    run(context) {
      const sightings = sightingsOf(context);
      return toFinding(findOffence(sightings), sightings);
    },
  };
}

function findOffence(sightings: Sightings): Offence | undefined {
  return findByWord(sightings) ?? findForkBomb(sightings) ?? findClimb(sightings);
}

function findForkBomb({ text, pipes }: Sightings): Offence | undefined {
  const at = pipes.find((pipe) => isForkBomb(text, pipe));
  return at === undefined ? undefined : { reason: 'A fork bomb.', at };
}
