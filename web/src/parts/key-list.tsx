/** A list of keyboard shortcuts. */
export const KeyList = ({ className, keys }: { className: string; keys: readonly (readonly [string, string])[] }) => (
  <dl className={`key-list ${className}`}>
    {keys.map(([key, what]) => (
      <div key={key}>
        <dt>
          <kbd>{key}</kbd>
        </dt>
        <dd>{what}</dd>
      </div>
    ))}
  </dl>
)
