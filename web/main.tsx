import { render } from 'preact';
import { App } from './app.tsx';
import { begin } from './session.ts';

const root = document.getElementById('app');
if (root) render(<App />, root);
void begin();
