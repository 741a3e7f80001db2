/** Filters that stand in the address, so that what one sees can be sent to somebody else. */
import { query, setQuery } from '../router.ts';

export interface Filter {
  name: string;
  label: string;
  /** A list to choose from; a text otherwise. */
  options?: readonly { value: string; text: string }[];
}

export function filterValues(filters: readonly Filter[]): Record<string, string> {
  return Object.fromEntries(filters.map(({ name }) => [name, query.value.get(name) ?? '']));
}

export function Filters({ filters }: { filters: readonly Filter[] }) {
  const values = filterValues(filters);
  const isSet = Object.values(values).some((value) => value !== '');
  return (
    <search class="filters">
      {filters.map(({ name, label, options }) => (
        <label key={name} htmlFor={`filter-${name}`}>
          <span>{label}</span>
          {options ? (
            <select
              id={`filter-${name}`}
              value={values[name]}
              onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
            >
              {options.map(({ value, text }) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          ) : (
            <input
              id={`filter-${name}`}
              type="text"
              value={values[name]}
              placeholder="any"
              spellcheck={false}
              onChange={(event) => setQuery({ [name]: event.currentTarget.value.trim() })}
            />
          )}
        </label>
      ))}
      {isSet && (
        <button
          type="button"
          class="quiet"
          onClick={() => setQuery(Object.fromEntries(filters.map(({ name }) => [name, ''])))}
        >
          Clear
        </button>
      )}
    </search>
  );
}
