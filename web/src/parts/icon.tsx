// Line icons, 24 by 24. They are decorative: the adjacent text carries the meaning.
const PATHS = {
  search: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14M16.2 16.2 20.5 20.5',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  out: 'M14 4h4a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2h-4M10 8l-4 4 4 4M6 12h9',
  open: 'M14 4h6v6M20 4l-9 9M18 14v4a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h4',
  document: 'M7 3h7l5 5v11a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2M14 3v5h5M9 13h6M9 17h4',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h9a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2zM15 9V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h3',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  plus: 'M12 5v14M5 12h14',
  filter: 'M4 6h16M7 12h10M10 18h4',
  alert: 'M12 8.5v4.5M12 16.5v.01M12 3.5 21 19.5H3z',
  back: 'M14 6l-6 6 6 6',
  pause: 'M9 5v14M15 5v14',
  play: 'M8 5l11 7-11 7z',
  retry: 'M4 12a8 8 0 1 1 2.5 5.8M4 19v-4.5h4.5',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l1 12.5h8L17 7',
  key: 'M14.5 4a5.5 5.5 0 1 1-4.6 8.5L4 18.4V21h3v-2h2v-2h2l1.4-1.6A5.5 5.5 0 0 1 14.5 4M16.5 8v.01',
  chat: 'M5 5h14a1.5 1.5 0 0 1 1.5 1.5v8A1.5 1.5 0 0 1 19 16h-7l-4.5 4v-4H5a1.5 1.5 0 0 1-1.5-1.5v-8A1.5 1.5 0 0 1 5 5',
  send: 'M12 19V6M6.5 11 12 5.5 17.5 11',
  stop: 'M7.5 7.5h9v9h-9z',
  clip: 'M19 11.5l-7 7a4.5 4.5 0 0 1-6.4-6.4l7.5-7.5a3 3 0 0 1 4.3 4.3l-7.3 7.2a1.5 1.5 0 0 1-2.1-2.1l6.5-6.5',
  pen: 'M4.5 19.5l1-4L16 5a2 2 0 0 1 3 3L8.5 18.5zM14 7l3 3',
  forth: 'M10 6l6 6-6 6',
  down: 'M6 10l6 6 6-6',
  tune: 'M4 7.5h8M18 7.5h2M4 16.5h3M13 16.5h7M15 5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5M10 14a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5',
  history: 'M4 12a8 8 0 1 0 2.5-5.8M4 4.5V9h4.5M12 8v4.5l3 1.8',
  share: 'M12 14V4M8 7.5 12 3.5l4 4M6 11.5v7A1.5 1.5 0 0 0 7.5 20h9a1.5 1.5 0 0 0 1.5-1.5v-7',
  thumbUp: 'M8 11l3.5-7a2 2 0 0 1 2 2.5L13 10h5a2 2 0 0 1 2 2.3l-1 5.7a2 2 0 0 1-2 1.5H8zM8 11H4.5v8.5H8',
  thumbDown: 'M8 13l3.5 7a2 2 0 0 0 2-2.5L13 14h5a2 2 0 0 0 2-2.3l-1-5.7a2 2 0 0 0-2-1.5H8zM8 13H4.5V4.5H8',
  download: 'M12 4v10M8 10.5 12 14.5l4-4M5 19.5h14',
  tool: 'M14.5 6.5a4 4 0 0 1 5-1.7l-2.6 2.6 1.7 1.7 2.6-2.6a4 4 0 0 1-5.3 5.1L8.5 19a2 2 0 0 1-2.9-2.9l7.4-7.4a4 4 0 0 1 1.5-2.2',
  thought: 'M9 17h6M10 20h4M12 4a6 6 0 0 0-3.5 10.9V17h7v-2.1A6 6 0 0 0 12 4',
} as const
export type IconName = keyof typeof PATHS

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.75}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
)
