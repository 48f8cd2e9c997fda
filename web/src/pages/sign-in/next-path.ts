// The page that a person wanted before the sign-in.

/** Accepts only paths on this origin, so that `next` cannot redirect elsewhere. */
export function safeNextPath(next: string | undefined, origin: string): string {
  if (next === undefined || !next.startsWith('/')) return '/'
  const url = URL.parse(next, origin)
  // A path with two slashes at its start names another host, also where dots were removed before: `/.//evil.example`.
  if (url === null || url.origin !== origin || url.pathname.startsWith('//')) return '/'
  return url.pathname + url.search
}
