import { createMemoryStore } from '../../src/store/memory.ts';
import { createClock, describeConformance } from './conformance.ts';

describeConformance('the memory store', {
  open: async () => createMemoryStore({ clock: createClock() }),
  reopen: null,
});
