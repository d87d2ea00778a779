// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/metrics_server.h"

#include <httplib.h>

#include <charconv>
#include <thread>

namespace cordon::engine {
namespace {

class HttpMetrics final : public MetricsServer {
 public:
  HttpMetrics(std::string host, const MetricsBoard& board) : host_(std::move(host)) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(2); };
    server_.Get("/metrics", [&board](const httplib::Request&, httplib::Response& response) {
      response.set_content(PrometheusText(board.Read()), "text/plain; version=0.0.4");
    });
  }
  ~HttpMetrics() override {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  bool Bind(int port) {
    port_ = port == 0 ? server_.bind_to_any_port(host_.c_str()) : (server_.bind_to_port(host_.c_str(), port) ? port : -1);
    if (port_ <= 0) return false;
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();  // stop() before that would be lost
    return true;
  }
  std::string address() const override { return fmt::format("{}:{}", host_, port_); }

 private:
  std::string host_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<MetricsServer>> MetricsServer::Start(const std::string& address, const MetricsBoard& board) {
  const std::size_t colon = address.rfind(':');
  std::string host = colon == std::string::npos || colon == 0 ? "127.0.0.1" : address.substr(0, colon);
  if (host == "localhost") host = "127.0.0.1";
  const std::string text = colon == std::string::npos ? address : address.substr(colon + 1);
  int port = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (code != std::errc() || end != text.data() + text.size() || port < 0 || port > 65535) {
    return Error::InvalidPolicy("--metrics {} is not an address", address).WithHint("write HOST:PORT, such as 127.0.0.1:9100");
  }
  auto server = std::make_unique<HttpMetrics>(host, board);
  if (!server->Bind(port)) {
    return Error::Io("cannot serve metrics on {}:{}", host, port).WithHint("the port may be in use; 0 takes a free one");
  }
  return std::unique_ptr<MetricsServer>(std::move(server));
}

}  // namespace cordon::engine
