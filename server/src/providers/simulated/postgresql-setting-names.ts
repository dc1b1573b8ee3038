/** The settings that a PostgreSQL has, by version. Written from what servers of these versions list (`pg_settings`). */

export type SettingKind = 'bool' | 'enum' | 'integer' | 'real' | 'string';

const words = (text: string) => text.trim().split(/\s+/);

/** Those of every version. */
export const COMMON: Readonly<Record<SettingKind, readonly string[]>> = {
  bool: words(`
    allow_in_place_tablespaces allow_system_table_mods array_nulls autovacuum bonjour
    check_function_bodies data_sync_retry debug_pretty_print debug_print_parse debug_print_plan
    debug_print_rewritten default_transaction_deferrable default_transaction_read_only enable_async_append
    enable_bitmapscan enable_gathermerge enable_hashagg enable_hashjoin enable_incremental_sort
    enable_indexonlyscan enable_indexscan enable_material enable_memoize enable_mergejoin enable_nestloop
    enable_parallel_append enable_parallel_hash enable_partition_pruning enable_partitionwise_aggregate
    enable_partitionwise_join enable_seqscan enable_sort enable_tidscan escape_string_warning
    exit_on_error fsync full_page_writes geqo hot_standby hot_standby_feedback ignore_checksum_failure
    ignore_invalid_pages ignore_system_indexes jit jit_debugging_support jit_dump_bitcode jit_expressions
    jit_profiling_support jit_tuple_deforming krb_caseins_users lo_compat_privileges log_checkpoints
    log_disconnections log_duration log_executor_stats log_hostname log_lock_waits log_parser_stats
    log_planner_stats log_recovery_conflict_waits log_replication_commands log_statement_stats
    log_truncate_on_rotation logging_collector parallel_leader_participation quote_all_identifiers
    recovery_target_inclusive remove_temp_files_after_crash restart_after_crash row_security ssl
    ssl_passphrase_command_supports_reload ssl_prefer_server_ciphers standard_conforming_strings
    synchronize_seqscans syslog_sequence_numbers syslog_split_messages trace_notify trace_sort
    track_activities track_commit_timestamp track_counts track_io_timing track_wal_io_timing
    transaction_deferrable transaction_read_only transform_null_equals update_process_title wal_init_zero
    wal_log_hints wal_receiver_create_temp_slot wal_recycle zero_damaged_pages`),
  enum: words(`
    IntervalStyle archive_mode backslash_quote bytea_output client_min_messages compute_query_id
    constraint_exclusion default_toast_compression default_transaction_isolation
    dynamic_shared_memory_type huge_pages log_error_verbosity log_min_error_statement log_min_messages
    log_statement password_encryption plan_cache_mode recovery_init_sync_method recovery_prefetch
    recovery_target_action session_replication_role shared_memory_type ssl_max_protocol_version
    ssl_min_protocol_version stats_fetch_consistency synchronous_commit syslog_facility track_functions
    transaction_isolation wal_compression wal_level wal_sync_method xmlbinary xmloption`),
  integer: words(`
    archive_timeout authentication_timeout autovacuum_analyze_threshold autovacuum_freeze_max_age
    autovacuum_max_workers autovacuum_multixact_freeze_max_age autovacuum_naptime
    autovacuum_vacuum_cost_limit autovacuum_vacuum_insert_threshold autovacuum_vacuum_threshold
    autovacuum_work_mem backend_flush_after bgwriter_delay bgwriter_flush_after bgwriter_lru_maxpages
    checkpoint_flush_after checkpoint_timeout checkpoint_warning client_connection_check_interval
    commit_delay commit_siblings deadlock_timeout debug_discard_caches default_statistics_target
    effective_cache_size effective_io_concurrency extra_float_digits from_collapse_limit geqo_effort
    geqo_generations geqo_pool_size geqo_threshold gin_fuzzy_search_limit gin_pending_list_limit
    huge_page_size idle_in_transaction_session_timeout idle_session_timeout join_collapse_limit
    lock_timeout log_autovacuum_min_duration log_file_mode log_min_duration_sample
    log_min_duration_statement log_parameter_max_length log_parameter_max_length_on_error log_rotation_age
    log_rotation_size log_startup_progress_interval log_temp_files logical_decoding_work_mem
    maintenance_io_concurrency maintenance_work_mem max_connections max_files_per_process
    max_locks_per_transaction max_logical_replication_workers max_parallel_maintenance_workers
    max_parallel_workers max_parallel_workers_per_gather max_pred_locks_per_page
    max_pred_locks_per_relation max_pred_locks_per_transaction max_prepared_transactions
    max_replication_slots max_slot_wal_keep_size max_stack_depth max_standby_archive_delay
    max_standby_streaming_delay max_sync_workers_per_subscription max_wal_senders max_wal_size
    max_worker_processes min_dynamic_shared_memory min_parallel_index_scan_size
    min_parallel_table_scan_size min_wal_size port post_auth_delay pre_auth_delay recovery_min_apply_delay
    shared_buffers statement_timeout superuser_reserved_connections tcp_keepalives_count
    tcp_keepalives_idle tcp_keepalives_interval tcp_user_timeout temp_buffers temp_file_limit
    track_activity_query_size unix_socket_permissions vacuum_cost_limit vacuum_cost_page_dirty
    vacuum_cost_page_hit vacuum_cost_page_miss vacuum_failsafe_age vacuum_freeze_min_age
    vacuum_freeze_table_age vacuum_multixact_failsafe_age vacuum_multixact_freeze_min_age
    vacuum_multixact_freeze_table_age wal_buffers wal_decode_buffer_size wal_keep_size
    wal_receiver_status_interval wal_receiver_timeout wal_retrieve_retry_interval wal_sender_timeout
    wal_skip_threshold wal_writer_delay wal_writer_flush_after work_mem`),
  real: words(`
    autovacuum_analyze_scale_factor autovacuum_vacuum_cost_delay autovacuum_vacuum_insert_scale_factor
    autovacuum_vacuum_scale_factor bgwriter_lru_multiplier checkpoint_completion_target
    cpu_index_tuple_cost cpu_operator_cost cpu_tuple_cost cursor_tuple_fraction geqo_seed
    geqo_selection_bias hash_mem_multiplier jit_above_cost jit_inline_above_cost jit_optimize_above_cost
    log_statement_sample_rate log_transaction_sample_rate parallel_setup_cost parallel_tuple_cost
    random_page_cost recursive_worktable_factor seq_page_cost vacuum_cost_delay`),
  string: words(`
    DateStyle TimeZone application_name archive_cleanup_command archive_command archive_library
    backtrace_functions bonjour_name client_encoding cluster_name config_file data_directory
    default_table_access_method default_tablespace default_text_search_config dynamic_library_path
    event_source external_pid_file hba_file ident_file jit_provider krb_server_keyfile lc_messages
    lc_monetary lc_numeric lc_time listen_addresses local_preload_libraries log_destination log_directory
    log_filename log_line_prefix log_timezone primary_conninfo primary_slot_name recovery_end_command
    recovery_target recovery_target_lsn recovery_target_name recovery_target_time recovery_target_timeline
    recovery_target_xid restore_command restrict_nonsystem_relation_kind search_path
    session_preload_libraries shared_preload_libraries ssl_ca_file ssl_cert_file ssl_ciphers ssl_crl_dir
    ssl_crl_file ssl_dh_params_file ssl_key_file ssl_passphrase_command synchronous_standby_names
    syslog_ident temp_tablespaces timezone_abbreviations unix_socket_directories unix_socket_group
    wal_consistency_checking`),
};

/** Those that only some versions have: `name:kind`. */
export const OF_SOME: Readonly<Record<string, readonly string[]>> = {
  '15': words(`
    db_user_namespace:bool force_parallel_mode:enum log_connections:bool old_snapshot_threshold:integer
    promote_trigger_file:string ssl_ecdh_curve:string trace_recovery_messages:enum
    vacuum_defer_cleanup_age:integer`),
  '16': words(`
    createrole_self_grant:string db_user_namespace:bool debug_io_direct:string
    debug_logical_replication_streaming:enum debug_parallel_query:enum enable_presorted_aggregate:bool
    file_extend_method:enum gss_accept_delegation:bool icu_validation_level:enum log_connections:bool
    max_parallel_apply_workers_per_subscription:integer old_snapshot_threshold:integer
    reserved_connections:integer scram_iterations:integer send_abort_for_crash:bool
    send_abort_for_kill:bool ssl_ecdh_curve:string trace_recovery_messages:enum
    vacuum_buffer_usage_limit:integer`),
  '17': words(`
    allow_alter_system:bool commit_timestamp_buffers:integer createrole_self_grant:string
    debug_io_direct:string debug_logical_replication_streaming:enum debug_parallel_query:enum
    enable_group_by_reordering:bool enable_presorted_aggregate:bool event_triggers:bool
    file_extend_method:enum gss_accept_delegation:bool icu_validation_level:enum io_combine_limit:integer
    log_connections:bool max_notify_queue_pages:integer
    max_parallel_apply_workers_per_subscription:integer multixact_member_buffers:integer
    multixact_offset_buffers:integer notify_buffers:integer reserved_connections:integer
    scram_iterations:integer send_abort_for_crash:bool send_abort_for_kill:bool
    serializable_buffers:integer ssl_ecdh_curve:string subtransaction_buffers:integer summarize_wal:bool
    sync_replication_slots:bool synchronized_standby_slots:string trace_connection_negotiation:bool
    transaction_buffers:integer transaction_timeout:integer vacuum_buffer_usage_limit:integer
    wal_summary_keep_time:integer`),
  '18': words(`
    allow_alter_system:bool autovacuum_vacuum_max_threshold:integer autovacuum_worker_slots:integer
    commit_timestamp_buffers:integer createrole_self_grant:string debug_io_direct:string
    debug_logical_replication_streaming:enum debug_parallel_query:enum enable_distinct_reordering:bool
    enable_group_by_reordering:bool enable_presorted_aggregate:bool enable_self_join_elimination:bool
    event_triggers:bool extension_control_path:string file_copy_method:enum file_extend_method:enum
    gss_accept_delegation:bool icu_validation_level:enum idle_replication_slot_timeout:integer
    io_combine_limit:integer io_max_combine_limit:integer io_max_concurrency:integer io_method:enum
    io_workers:integer log_connections:string log_lock_failures:bool
    max_active_replication_origins:integer max_notify_queue_pages:integer
    max_parallel_apply_workers_per_subscription:integer md5_password_warnings:bool
    multixact_member_buffers:integer multixact_offset_buffers:integer notify_buffers:integer
    oauth_validator_libraries:string reserved_connections:integer scram_iterations:integer
    send_abort_for_crash:bool send_abort_for_kill:bool serializable_buffers:integer ssl_groups:string
    ssl_tls13_ciphers:string subtransaction_buffers:integer summarize_wal:bool sync_replication_slots:bool
    synchronized_standby_slots:string trace_connection_negotiation:bool track_cost_delay_timing:bool
    transaction_buffers:integer transaction_timeout:integer vacuum_buffer_usage_limit:integer
    vacuum_max_eager_freeze_failure_rate:real vacuum_truncate:bool wal_summary_keep_time:integer`),
};
