import { onScopeDispose, ref, type Ref } from 'vue'
import { useRouter } from 'vue-router'

/** Whether another place was asked for and is not shown yet: its code is being fetched. */
export function useMoving(): Readonly<Ref<boolean>> {
  const router = useRouter()
  const moving = ref(false)
  const ended = (): void => {
    moving.value = false
  }
  const stops = [
    router.beforeEach(() => {
      moving.value = true
    }),
    router.afterEach(ended),
    router.onError(ended),
  ]
  onScopeDispose(() => stops.forEach((stop) => stop()))
  return moving
}
