import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const dark = matchMedia('(prefers-color-scheme: dark)');
const { dataset } = document.documentElement;

export const theme = signal<Theme>((dataset.theme as Theme | undefined) ?? 'system');
/** Grows when the colours change: charts on a canvas read them anew. */
export const paintVersion = signal(0);

dark.addEventListener('change', () => {
  paintVersion.value++;
});

export function chooseTheme(next: Theme): void {
  theme.value = next;
  if (next === 'system') {
    delete dataset.theme;
    localStorage.removeItem('renown-theme');
  } else {
    dataset.theme = next;
    localStorage.setItem('renown-theme', next);
  }
  paintVersion.value++;
}
