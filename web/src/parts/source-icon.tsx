// A symbol for a kind of source: a line drawing, or the first letter of sources that have none. Decorative, as `Icon`.
import './source-icon.css'

const PATHS: Readonly<Record<string, string>> = {
  web: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17M3.5 12h17M12 3.5c2.6 2.4 3.8 5.2 3.8 8.5s-1.2 6.1-3.8 8.5c-2.6-2.4-3.8-5.2-3.8-8.5S9.4 5.9 12 3.5',
  file: 'M3.5 7.5a2 2 0 0 1 2-2h4l2 2.5h7a2 2 0 0 1 2 2v7.5a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z',
  git: 'M7 7.5v9M7 3.5a2 2 0 1 1 0 4 2 2 0 0 1 0-4M7 16.5a2 2 0 1 1 0 4 2 2 0 0 1 0-4M17 6.5a2 2 0 1 1 0 4 2 2 0 0 1 0-4M17 10.5c0 3-2.5 3.5-10 4',
  github: 'M8.5 7.5 4 12l4.5 4.5M15.5 7.5 20 12l-4.5 4.5M13.5 5l-3 14',
  gitlab:
    'M6 4.5a2 2 0 1 1 0 4 2 2 0 0 1 0-4M6 8.5v11M18 15.5a2 2 0 1 1 0 4 2 2 0 0 1 0-4M18 15.5V11a4 4 0 0 0-4-4h-2M14 4l-3 3 3 3',
  imap: 'M5 5.5h14a1.5 1.5 0 0 1 1.5 1.5v10a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 17V7A1.5 1.5 0 0 1 5 5.5M4 7l8 6 8-6',
  ticket_tracker:
    'M3.5 9V7A1.5 1.5 0 0 1 5 5.5h14A1.5 1.5 0 0 1 20.5 7v2a3 3 0 0 0 0 6v2a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 17v-2a3 3 0 0 0 0-6M14 6v2M14 11v2M14 16v2',
  confluence: 'M8 3.5h10.5V16M5.5 7h10v13.5h-10zM8.5 11h4M8.5 14h4',
  mediawiki:
    'M12 6.5C9.5 4.8 6.8 4.5 3.5 5v13c3.3-.5 6-.2 8.5 1.5 2.5-1.7 5.2-2 8.5-1.5V5c-3.3-.5-6-.2-8.5 1.5M12 6.5v13',
  redmine: 'M4 6.5l1.5 1.5L8 5.5M4 12.5l1.5 1.5L8 11.5M4 18.5l1.5 1.5L8 17.5M11.5 7H20M11.5 13H20M11.5 19H20',
  s3: 'M4.5 6.5c0-1.4 3.4-2.5 7.5-2.5s7.5 1.1 7.5 2.5S16.1 9 12 9 4.5 7.9 4.5 6.5M4.5 6.5 6.5 18c.2 1.2 2.6 2 5.5 2s5.3-.8 5.5-2l2-11.5',
  ingestion_api: 'M12 20V9M7.5 13 12 8.5l4.5 4.5M4.5 4.5h15',
}

export function SourceIcon({ source, size = 40 }: { source: string; size?: number }) {
  const path = PATHS[source]
  return (
    <span className="source-icon" style={{ width: size, height: size }} aria-hidden="true">
      {path === undefined ? (
        <b>{(source.at(0) ?? '?').toUpperCase()}</b>
      ) : (
        <svg
          width={size * 0.6}
          height={size * 0.6}
          viewBox="0 0 24 24"
          fill="none"
          stroke="currentColor"
          strokeWidth={1.6}
          strokeLinecap="round"
          strokeLinejoin="round"
          aria-hidden="true"
        >
          <path d={path} />
        </svg>
      )}
    </span>
  )
}
