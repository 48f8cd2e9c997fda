export const Brand = ({ size = 28 }: { size?: number }) => (
  <img src="/favicon.svg" width={size} height={size} alt="" aria-hidden="true" />
)
