import { computed, ref, type ComputedRef } from 'vue'

function stopPress(event: MouseEvent): void {
  event.preventDefault()
  event.stopImmediatePropagation()
}

/**
 * Attributes and listeners of a button that may become disabled while it has the focus, as when it
 * was pressed. A browser takes the focus from a disabled element, so until it loses the focus such
 * a button is only announced as disabled, and ignores presses.
 */
export function useFocusableDisabled(isDisabled: () => boolean): ComputedRef<Record<string, unknown>> {
  const hasFocus = ref(false)
  return computed(() => {
    const keepsFocus = isDisabled() && hasFocus.value
    return {
      disabled: isDisabled() && !keepsFocus,
      ...(keepsFocus ? { 'aria-disabled': true, onClickCapture: stopPress } : {}),
      onFocus: () => (hasFocus.value = true),
      // A window that loses the focus keeps its active element.
      onBlur: ({ target }: FocusEvent) => (hasFocus.value = target === document.activeElement),
    }
  })
}
