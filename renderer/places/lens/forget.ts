import { watch } from 'vue'
import { useConnection } from '../../stores/connection.ts'
import { forgetSeen } from '../../stores/seen-answers.ts'

/** Forgets what was seen of one host as soon as another is connected. */
export function useForgetSeen(): void {
  const connection = useConnection()
  watch(
    () => connection.state.profile?.id,
    () => forgetSeen(),
    { flush: 'sync' },
  )
}
