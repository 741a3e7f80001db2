/** Our mark; the same as the icon of the page. */
export function Mark({ size }: { size: number }) {
  return (
    <svg class="mark" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M9.5 23.500V8.500h7.200c3.400 0 5.600 1.900 5.600 4.900 0 2.300-1.300 4-3.500 4.600l4 5.500h-4.100l-3.600-5.200h-2.200v5.200zM12.900 15.500h3.400c1.600 0 2.500-.8 2.500-2.100s-.9-2.100-2.500-2.100h-3.400z" />
    </svg>
  );
}
