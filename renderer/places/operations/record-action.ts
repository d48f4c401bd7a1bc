/** What a user can do with a record. */
export type RecordAction = 'look' | 'stop' | 'resume' | 'readBack'
