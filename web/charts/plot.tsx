/** A chart of uPlot in the colours of the page. It follows the width of its place and the theme, and destroys itself. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { paintVersion } from '../theme-choice.ts';

export interface Colours {
  text: string;
  muted: string;
  line: string;
  accent: string;
  good: string;
  bad: string;
  warn: string;
}

interface PlotProps {
  label: string;
  height: number;
  data: uPlot.AlignedData;
  /** Made anew when the data or the colours change. */
  options(colours: Colours): Omit<uPlot.Options, 'width' | 'height'>;
}

export function Plot({ label, height, data, options }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const painted = paintVersion.value;
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const plot = new uPlot({ ...options(readColours()), width: element.clientWidth, height }, data, element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [data, height, painted]);
  return <div ref={place} class="chart" role="img" aria-label={label} style={{ height: `${height}px` }} />;
}

function readColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: colour('--text'),
    muted: colour('--muted'),
    line: colour('--line'),
    accent: colour('--accent'),
    good: colour('--good-fill'),
    bad: colour('--bad-fill'),
    warn: colour('--warn-fill'),
  };
}

/** Axes without noise: faint lines, small figures. */
export function axis({ muted, line }: Colours, more: uPlot.Axis = {}): uPlot.Axis {
  return {
    stroke: muted,
    font: '11px Inter, ui-sans-serif, system-ui, sans-serif',
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    gap: 6,
    ...more,
  };
}
