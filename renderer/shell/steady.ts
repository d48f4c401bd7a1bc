import { ref, watch, type Ref } from 'vue'

/**
 * A measure as it is shown: it stays while a new one differs from it by less than a quarter or by less than `least`, so that it neither
 * draws the eye nor has the window drawn again. Null at once where there is none.
 */
export function useSteady(measured: () => number | null, least: number): Readonly<Ref<number | null>> {
  const shown = ref(measured())
  watch(measured, (now) => {
    const before = shown.value
    const isNear = now !== null && before !== null && Math.abs(now - before) < Math.max(least, before / 4)
    if (!isNear) shown.value = now
  })
  return shown
}
