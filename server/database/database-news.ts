/** What an operator is told about the database while a server starts; the words are for people. */
export type DatabaseNews =
  /** A crash of the database's machine may lose commits that were acknowledged. */
  | 'database_setting_endangers_commits'
  /** The times of different machines do not fit together. */
  | 'database_clock_differs'
  /** Another server changes the schema. */
  | 'migration_awaited'
  /** A change of the schema takes long. */
  | 'migration_runs'
  /** An earlier start was interrupted. */
  | 'migration_resumed'
  /** The server does not let this user make triggers. */
  | 'append_only_not_enforced';

export type TellDatabaseNews = (news: DatabaseNews, words: string) => void;
