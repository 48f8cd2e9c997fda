// Before anything is painted: what was chosen here before, else what the system prefers.
{
  const chosen = localStorage.getItem('pharos-color-scheme')
  const isDark =
    chosen === null || chosen === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark'
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light')
}
