/** An action of the user on an operation record: poll now, stop or resume polling, or read back. */
export type RecordAction = 'look' | 'stop' | 'resume' | 'readBack'
