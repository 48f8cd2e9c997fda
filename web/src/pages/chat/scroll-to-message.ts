const GAP_PX = 16

/** Moves a message to the top of the page, below the header, which has two lines on a narrow screen. */
export function scrollToMessage(element: HTMLElement): void {
  const header = document.querySelector('.shell-header')?.getBoundingClientRect().bottom ?? 0
  window.scrollBy({ top: element.getBoundingClientRect().top - header - GAP_PX })
}
