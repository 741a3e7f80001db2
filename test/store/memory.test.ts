import { createMemoryStore } from '../../src/store/memory.ts';
import { createClock } from './conformance/suite.ts';
import { describeConformance } from './conformance.ts';

describeConformance('the memory store', {
  open: async () => createMemoryStore({ clock: createClock() }),
  reopen: null,
});
